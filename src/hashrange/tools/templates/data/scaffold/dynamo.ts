/** Common parts of all access patterns: a client, the table, pages, and batches. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DynamoDBClient,
  TransactionCanceledException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  type BatchGetCommandInput,
  BatchWriteCommand,
  type BatchWriteCommandInput,
  DynamoDBDocumentClient,
  QueryCommand,
  type QueryCommandInput,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from "@aws-sdk/lib-dynamodb";

export type Item = Record<string, any>;

/** Some items of a Query, and the key after which the next page begins; undefined at the end. */
export interface Page<T> {
  items: T[];
  next?: Item;
}

type Requests = NonNullable<BatchWriteCommandInput["RequestItems"]>;
type Reads = NonNullable<BatchGetCommandInput["RequestItems"]>;

const WRITES_MAX = 25;
const READS_MAX = 100;
const ATTEMPTS_MAX = 8;

const tables: (CreateTableCommandInput & { TimeToLiveAttribute?: string })[] = JSON.parse(
  readFileSync("tables.json", "utf8"),
);

/** A client of a server for development, which takes any credentials. */
export function local(endpoint = "http://127.0.0.1:8000"): DynamoDBDocumentClient {
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const client = new DynamoDBClient({ endpoint, region: "us-east-1", credentials });
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}

/** Makes the table for development and tests; template.yaml is for deployments. */
export async function createTables(db: DynamoDBDocumentClient): Promise<void> {
  for (const { TimeToLiveAttribute, ...request } of tables) {
    await db.send(new CreateTableCommand(request));
    const TableName = request.TableName;
    await waitUntilTableExists({ client: db, minDelay: 1, maxWaitTime: 60 }, { TableName });
    if (TimeToLiveAttribute !== undefined) {
      const TimeToLiveSpecification = { Enabled: true, AttributeName: TimeToLiveAttribute };
      await db.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
    }
  }
}

/** Puts the items of samples.jsonl. */
export async function putSamples(db: DynamoDBDocumentClient): Promise<void> {
  const lines = readFileSync("samples.jsonl", "utf8").trim().split("\n");
  await putAll(
    db,
    "{{table}}",
    lines.map((line) => JSON.parse(line)),
  );
}

/** All items of a Query, of as many pages as it has. */
export async function queryAll<T>(
  db: DynamoDBDocumentClient,
  request: QueryCommandInput,
): Promise<T[]> {
  const found: T[] = [];
  let start: Item | undefined;
  do {
    const page: Page<T> = await queryPage<T>(db, start, request);
    found.push(...page.items);
    start = page.next;
  } while (start !== undefined);
  return found;
}

/** One page of a Query, from its beginning or after the key that the last page gave. */
export async function queryPage<T>(
  db: DynamoDBDocumentClient,
  start: Item | undefined,
  request: QueryCommandInput,
): Promise<Page<T>> {
  const answer = await db.send(new QueryCommand({ ...request, ExclusiveStartKey: start }));
  return { items: answer.Items as T[], next: answer.LastEvaluatedKey };
}

/** Puts items in batches. They replace others with the same keys; a retry changes nothing. */
export async function putAll(
  db: DynamoDBDocumentClient,
  table: string,
  items: Item[],
): Promise<void> {
  await writeAll(
    db,
    table,
    items.map((item) => ({ PutRequest: { Item: item } })),
  );
}

/** Deletes items in batches. */
export async function deleteAll(
  db: DynamoDBDocumentClient,
  table: string,
  keys: Item[],
): Promise<void> {
  await writeAll(
    db,
    table,
    keys.map((key) => ({ DeleteRequest: { Key: key } })),
  );
}

/** Sends puts and deletes in batches, and again what DynamoDB could not process. */
export async function writeAll(
  db: DynamoDBDocumentClient,
  table: string,
  requests: Requests[string],
): Promise<void> {
  for (let begin = 0; begin < requests.length; begin += WRITES_MAX) {
    let left: Requests = { [table]: requests.slice(begin, begin + WRITES_MAX) };
    for (let attempt = 0; Object.keys(left).length > 0; attempt += 1) {
      if (attempt === ATTEMPTS_MAX) throw new Error("some items could not be written");
      if (attempt > 0) await pause(Math.random() * 50 * 2 ** attempt);
      left = (await db.send(new BatchWriteCommand({ RequestItems: left }))).UnprocessedItems ?? {};
    }
  }
}

/** The items with these keys, in no order; keys without an item are left out. */
export async function getAll<T>(
  db: DynamoDBDocumentClient,
  table: string,
  keys: Item[],
): Promise<T[]> {
  const found: T[] = [];
  for (let begin = 0; begin < keys.length; begin += READS_MAX) {
    let left: Reads = { [table]: { Keys: keys.slice(begin, begin + READS_MAX) } };
    for (let attempt = 0; Object.keys(left).length > 0; attempt += 1) {
      if (attempt === ATTEMPTS_MAX) throw new Error("some items could not be read");
      if (attempt > 0) await pause(Math.random() * 50 * 2 ** attempt);
      const answer = await db.send(new BatchGetCommand({ RequestItems: left }));
      found.push(...((answer.Responses?.[table] ?? []) as T[]));
      left = answer.UnprocessedKeys ?? {};
    }
  }
  return found;
}

/**
 * Sends a transaction, again if another one had the same items.
 *
 * The result is empty if it was done; if a condition refused it, it has the codes of all actions,
 * in order. The SDK adds a ClientRequestToken, so that its own retries do nothing twice.
 */
export async function transact(
  db: DynamoDBDocumentClient,
  actions: NonNullable<TransactWriteCommandInput["TransactItems"]>,
): Promise<string[]> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    try {
      await db.send(new TransactWriteCommand({ TransactItems: actions }));
      return [];
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const codes = (error.CancellationReasons ?? []).map((each) => each.Code ?? "None");
      if (codes.includes("ConditionalCheckFailed")) return codes;
      if (!codes.includes("TransactionConflict")) throw error;
      await pause(Math.random() * 50 * 2 ** attempt);
    }
  }
  throw new Error("other transactions were always first");
}

/** A number from 0 to count - 1, always the same one of a text. */
export function shardOf(text: string, count: number): number {
  return createHash("sha256").update(text).digest().readUInt32BE(0) % count;
}

/** The primary keys of items, as text. */
export function keysOf(found: Item | Item[] | Page<Item> | undefined): string[] {
  const names = tables[0]!.KeySchema!.map((each) => each.AttributeName!);
  const items: Item[] =
    found === undefined ? [] : Array.isArray(found) ? found : (found.items ?? [found]);
  return items.map((item) => names.map((name) => String(item[name])).join("/"));
}

/** Prints a value, or the primary keys of what was found. */
export function show(
  title: string,
  found: Item | Item[] | Page<Item> | boolean | number | string | undefined,
): void {
  let text: string;
  if (typeof found === "boolean") text = found ? "yes" : "no";
  else if (typeof found === "number" || typeof found === "string") text = String(found);
  else text = keysOf(found).join(", ") || "nothing";
  console.log(`${title}: ${text}`);
}
