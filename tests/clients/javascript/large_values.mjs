// examples/large_values.ts, compiled, on a table and a folder that Python made: see test_large_values.py.
import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { ChangedError, DamagedError, Folder, LargeValues } from "./large_values.js";

const [endpoint, table, path] = process.argv.slice(2);
const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint }));
const folder = new Folder(path);
const values = new LargeValues(client, table, folder);
const key = (pk) => ({ pk, sk: "BODY" });
const refused = async (work) => {
  try {
    await work();
    return "nothing";
  } catch (error) {
    return error instanceof ChangedError ? "changed" : error instanceof DamagedError ? "damaged" : `${error}`;
  }
};

const large = randomBytes(200_000);
const seen = {};
seen.ofPython = (await values.read(key("python"))).length;
seen.none = (await values.read(key("none"))) === undefined;

await values.write(key("text"), Buffer.from("text ".repeat(100_000)), { title: "one" });
await values.write(key("large"), large);
await values.write(key("short"), Buffer.from("short"));
seen.same = Buffer.compare(Buffer.from(await values.read(key("large"))), large) === 0;

// Its object is collected while the write is on its way.
const slow = new LargeValues(client, table, {
  get: (name) => folder.get(name),
  delete: (name) => folder.delete(name),
  async put(name, content) {
    await folder.put(name, content);
    seen.collectedMeanwhile = await values.collect(60, 1e9);
  },
});
seen.slow = await refused(() => slow.write(key("large"), randomBytes(150_000), {}, 0));

const raced = new LargeValues(client, table, {
  get: (name) => folder.get(name),
  delete: (name) => folder.delete(name),
  async put(name, content) {
    await values.write(key("raced"), Buffer.from("first"));
    await folder.put(name, content);
  },
});
seen.raced = await refused(() => raced.write(key("raced"), large));

const lost = new LargeValues(client, table, { ...folder, get: async () => undefined });
seen.lost = await refused(() => lost.read(key("large")));
const damaged = new LargeValues(client, table, { ...folder, get: async () => Buffer.from("?") });
seen.damaged = await refused(() => damaged.read(key("large")));

await values.delete(key("short"));
seen.collected = await values.collect(-60);
seen.objects = (await readdir(path)).length;
console.log(JSON.stringify(seen));
