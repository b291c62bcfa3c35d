/** A hashrange server for tests, and accounts on it. It has no dependencies. */

const { spawn } = require("node:child_process");
const { randomInt } = require("node:crypto");
const { createInterface } = require("node:readline");

const SERVE = ["serve", "--memory", "--port", "0", "--namespaces", "separate"];
const QUIETLY = ["--stop-with-input", "--log-level", "warning"];
const REGION = "us-east-1";

/**
 * Starts a server, or connects to the one at TEST_HASHRANGE_ENDPOINT, which needs --namespaces separate.
 *
 * The program is TEST_HASHRANGE_COMMAND, as `uvx hashrange`, or else `hashrange` of the PATH.
 */
async function start({ settings = [] } = {}) {
  const running = process.env.TEST_HASHRANGE_ENDPOINT;
  if (running) {
    return { endpoint: running.replace(/\/$/, ""), stop: async () => {} };
  }
  const [program, ...words] = (process.env.TEST_HASHRANGE_COMMAND || "hashrange").split(/\s+/);
  const server = spawn(program, [...words, ...SERVE, ...QUIETLY, ...settings], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => server.once("exit", resolve));
  server.stdin.on("error", () => {}); // of a server that has ended by itself
  const endpoint = await new Promise((resolve, reject) => {
    server.once("error", (error) =>
      reject(new Error(`${program} cannot be started (${error.code}): install hashrange, or set TEST_HASHRANGE_COMMAND`)),
    );
    const lines = createInterface({ input: server.stdout });
    lines.on("line", (line) => {
      const found = line.match(/ listens on (\S+)$/);
      if (found) resolve(found[1]);
    });
    // Without an endpoint the SDK would use AWS.
    lines.once("close", () => reject(new Error("hashrange did not start; what it said is above")));
  });
  server.unref();
  server.stdout.unref();
  const stop = async () => {
    server.stdin.end();
    await ended;
  };
  return { endpoint, stop };
}

/** Variables with which each AWS SDK of this process and its children uses the server. */
function environment(endpoint) {
  return {
    TEST_HASHRANGE_STARTED: endpoint,
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_ENDPOINT_URL_DYNAMODB_STREAMS: endpoint,
    AWS_REGION: REGION,
    ...credentials(newAccountId()),
  };
}

function credentials(id) {
  return { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: "local" };
}

function newAccountId() {
  return String(randomInt(100_000_000_000, 1_000_000_000_000));
}

/** An account without tables: options for `new DynamoDBClient(account())`. */
function account() {
  const endpoint = process.env.TEST_HASHRANGE_STARTED;
  if (!endpoint) {
    throw new Error("no server was started: configure the preset of hashrange, or call start()");
  }
  return {
    endpoint,
    region: REGION,
    credentials: { accessKeyId: newAccountId(), secretAccessKey: "local" },
  };
}

module.exports = { start, environment, account };
