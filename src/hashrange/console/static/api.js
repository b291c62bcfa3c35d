// Requests to the server: the APIs by /_console/api/aws, and what only this server knows.
import { signal } from "./vendor/ui.js";

const STREAMS = new Set(["DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"]);
const PREFIXES = { scaling: "AnyScaleFrontendService", dax: "AmazonDAXV3", cloudwatch: "GraniteServiceVersion20100801", cloudtrail: "com.amazonaws.cloudtrail.v20131101.CloudTrail_20131101" };
const SIGNED_OUT = 401;
const ATTENDED_MS = 60_000;
let usedAt = 0;

/** The user is here, or waits for what was begun: requests of the next minute keep the session alive. */
export function attend() {
  usedAt = performance.now();
}

for (const kind of ["pointerdown", "keydown", "wheel", "touchmove"]) addEventListener(kind, attend, { capture: true, passive: true });

/** Marks requests that a page makes on its own: the idle time of the session goes on. */
const attendance = () => (performance.now() - usedAt < ATTENDED_MS ? {} : { "X-Console-Unattended": "1" });

let signedIn = "";

/** What shows that the session of the cookie is of this origin: other ports share cookies, and no storage. */
const proof = () => {
  const found = read("proof", signedIn);
  return found ? { "X-Console-Proof": found } : {};
};

function keepProof(text) {
  signedIn = text;
  keep("proof", text);
}

/** The server's facts and the principal; null until they were read. */
export const session = signal(null);
/** Whether the session has ended without a sign-out: the page stays as it is until its user signs in again. */
export const ended = signal(false);
/** Requests that are under way, for the bar at the top. */
export const busy = signal(0);
/** The endpoint, account and region that are shown; empty for the server's own and its defaults. */
export const scope = signal(read("scope", { endpoint: "", account: "", region: "" }));

/** Whether tables that are shown have partitions: those of AWS, and of a server that limits requests. */
export const isPartitioned = () => Boolean(scope.value.endpoint) || session.value?.throttle === "on";

scope.subscribe((value) => keep("scope", value));

/** A refusal, of the API or of the network, with the request that it answers. */
export class ApiError extends Error {
  constructor({ type, message, status, operation, request, answer = {} }) {
    super(message || type);
    Object.assign(this, { type, status, operation, request, answer });
  }

  /** Everything that helps to report it. */
  get report() {
    return [
      `${this.type}: ${this.message}`,
      `${this.operation} ${JSON.stringify(this.request, null, 2)}`,
    ].join("\n\n");
  }
}

/** Perform an operation of DynamoDB, its streams, or of another API: `scaling:…`, `dax:…`, `cloudwatch:…`, `cloudtrail:…`. */
export async function call(operation, request = {}, { abort } = {}) {
  const [name, api] = operation.split(":").reverse();
  const prefix = api
    ? PREFIXES[api]
    : `${STREAMS.has(name) ? "DynamoDBStreams" : "DynamoDB"}_20120810`;
  const headers = {
    "Content-Type": api ? "application/x-amz-json-1.1" : "application/x-amz-json-1.0",
    "X-Amz-Target": `${prefix}.${name}`,
  };
  return post("aws", name, request, headers, abort);
}

/** An operation of IAM, whose requests are forms and whose answers are XML. */
export async function iam(operation, request = {}) {
  const form = new URLSearchParams({ Action: operation, Version: "2010-05-08", ...request });
  const headers = { "Content-Type": "application/x-www-form-urlencoded", "X-Console-Service": "iam" };
  return (await post("aws", operation, request, headers, undefined, { body: form.toString() }))[`${operation}Result`] ?? {};
}

/** A route of the server that is no API: read, or asked with a request. */
export const ask = (route, request) => (request ? post(route, route, request, {}) : got(route));

/** How a statement of PartiQL would be run. */
export const planOf = (request) => post("plan", "ExecuteStatement", request, {});

export async function loadSession() {
  session.value = await got("session");
}

export const namespaces = async () => (await got("namespaces")).namespaces;

export async function signIn(keys) {
  keepProof((await post("sign-in", "SignIn", keys, {}, undefined, { hidden: true })).proof ?? "");
  await loadSession();
  ended.value = false;
}

export async function signOut() {
  await post("sign-out", "SignOut", {}, {});
  keepProof("");
  await loadSession();
  ended.value = false;
}

/** All pages of a list operation: `all("ListTables", {}, "TableNames", "LastEvaluatedTableName", "ExclusiveStartTableName")`. */
export async function all(operation, request, member, next, start) {
  const found = [];
  let from;
  do {
    const page = await call(operation, from === undefined ? request : { ...request, [start]: from });
    found.push(...page[member]);
    from = page[next];
  } while (from !== undefined);
  return found;
}

async function post(route, operation, request, headers, abort, { hidden = false, body = JSON.stringify(request) } = {}) {
  const { endpoint, account, region } = scope.value;
  const chosen = { "X-Console-Endpoint": endpoint, "X-Console-Account": account, "X-Console-Region": region };
  const sent = Object.fromEntries(Object.entries(chosen).filter(([, value]) => value));
  return answered(operation, hidden ? {} : request, () =>
    fetch(`/_console/api/${route}`, {
      method: "POST",
      headers: { ...attendance(), ...proof(), ...sent, ...headers },
      body,
      signal: abort,
    }),
  );
}

const got = (route) => answered(route, {}, () => fetch(`/_console/api/${route}`, { headers: { ...attendance(), ...proof() } }));

async function answered(operation, request, send) {
  busy.value += 1;
  try {
    const response = await send();
    const text = await response.text();
    const answer = text.startsWith("<") ? xmlValue(new DOMParser().parseFromString(text, "text/xml").documentElement) : text ? JSON.parse(text) : {};
    if (response.ok) return answer;
    if (response.status === SIGNED_OUT && session.value?.principal) ended.value = true;
    const type = String(answer.__type || answer.Error?.Code || response.status).split("#").pop();
    const message = answer.message ?? answer.Message ?? answer.Error?.Message ?? "";
    throw new ApiError({ type, message, status: response.status, operation, request, answer });
  } catch (error) {
    if (error instanceof ApiError || error.name === "AbortError") throw error;
    throw new ApiError({
      type: "NoAnswer", message: `The server does not answer (${error.message})`, status: 0, operation, request,
    });
  } finally {
    busy.value -= 1;
  }
}

/** An element of IAM's XML: a text, an object, or the list of its `member`s; an empty list is an empty text. */
function xmlValue(node) {
  const parts = [...node.children];
  if (!parts.length) return node.textContent;
  if (parts.every((each) => each.tagName === "member")) return parts.map(xmlValue);
  return Object.fromEntries(parts.map((each) => [each.tagName, xmlValue(each)]));
}

/** A value that this browser keeps for this server. */
export function read(name, fallback) {
  try {
    const text = localStorage.getItem(`hashrange.${name}`);
    return text === null ? fallback : JSON.parse(text);
  } catch {
    return fallback;
  }
}

export function keep(name, value) {
  try {
    localStorage.setItem(`hashrange.${name}`, JSON.stringify(value));
  } catch {
    // A full or forbidden storage: the value lasts as long as the page.
  }
}
