/**
 * Large values by reference, as large_values.py does it: the same items, objects and markers, so that
 * programs of both languages can share a table. That file says why each step is as it is.
 *
 * Needs @aws-sdk/client-dynamodb and @aws-sdk/lib-dynamodb.
 */
import { createHash, randomUUID } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deflateSync, inflateSync } from "node:zlib";
import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
} from "@aws-sdk/client-dynamodb";
import {
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  DeleteCommand,
  TransactWriteCommand,
  UpdateCommand,
  paginateQuery,
  type TransactWriteCommandInput,
} from "@aws-sdk/lib-dynamodb";

export const INLINE_BYTES_MAX = 100 * 1024;
const ATTEMPTS_MAX = 100;
const READS_MAX = 10;

export type Key = { pk: string; sk: string };
type Item = Record<string, any>;
type Action = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** A place of objects, each of which is written once. */
export interface Bucket {
  put(name: string, content: Uint8Array): Promise<void>;
  /** The content of an object; undefined if there is none. */
  get(name: string): Promise<Uint8Array | undefined>;
  delete(name: string): Promise<void>;
}

/** A bucket in a directory. */
export class Folder implements Bucket {
  constructor(private readonly path: string) {}

  async put(name: string, content: Uint8Array): Promise<void> {
    await mkdir(this.path, { recursive: true });
    await writeFile(join(this.path, name), content);
  }

  async get(name: string): Promise<Uint8Array | undefined> {
    try {
      return await readFile(join(this.path, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  async delete(name: string): Promise<void> {
    await rm(join(this.path, name), { force: true });
  }
}

/** Another program has changed the item, or has collected the object; nothing was written. */
export class ChangedError extends Error {}

/** The value is not the one that was written. */
export class DamagedError extends Error {}

/** Values of any size in one table, whose keys are `pk` and `sk`. */
export class LargeValues {
  constructor(
    private readonly client: DynamoDBDocumentClient,
    private readonly table: string,
    private readonly bucket: Bucket,
  ) {}

  /** Write a value. Throws ChangedError if another program did at the same time. */
  async write(key: Key, value: Uint8Array, attributes: Item = {}, now = seconds()): Promise<void> {
    const before = await this.item(key);
    const packed = deflateSync(value);
    const isSmaller = packed.length < value.length;
    const content = isSmaller ? packed : value;
    const item: Item = {
      ...key,
      ...attributes,
      form: isSmaller ? "zlib" : "plain",
      bytes: value.length,
      version: id(),
      sha256: checksum(value),
    };
    const actions: Action[] = [];
    if (content.length <= INLINE_BYTES_MAX) {
      item.content = content;
    } else {
      item.object = id();
      await this.client.send(
        new PutCommand({ TableName: this.table, Item: marker(item.object, now) }),
      );
      await this.bucket.put(item.object, content);
      actions.push({
        Delete: {
          TableName: this.table,
          Key: markerKey(item.object),
          ConditionExpression: "#state = :open",
          ExpressionAttributeNames: { "#state": "state" },
          ExpressionAttributeValues: { ":open": "OPEN" },
        },
      });
    }
    actions.push({ Put: { TableName: this.table, Item: item, ...ifSame(before) } });
    await this.commit([...actions, ...this.replaced(before, now)]);
  }

  /** Delete a value; its object goes with the next `collect`. */
  async delete(key: Key, now = seconds()): Promise<void> {
    const before = await this.item(key);
    if (before === undefined) return;
    const action = { Delete: { TableName: this.table, Key: key, ...ifSame(before) } };
    await this.commit([action, ...this.replaced(before, now)]);
  }

  /** The value of an item, or undefined. Throws DamagedError. */
  async read(key: Key): Promise<Uint8Array | undefined> {
    for (let reads = 0; reads < READS_MAX; reads += 1) {
      const item = await this.item(key);
      if (item === undefined) return undefined;
      const content: Uint8Array | undefined =
        item.object === undefined ? item.content : await this.bucket.get(item.object);
      if (content !== undefined) return checked(item, content);
    }
    throw new DamagedError(`${key.pk} ${key.sk}: its object is gone`);
  }

  /** Remove objects without an item that are older than so many seconds; how many. */
  async collect(olderThan: number, now = seconds()): Promise<number> {
    let removed = 0;
    const pages = paginateQuery(
      { client: this.client },
      {
        TableName: this.table,
        KeyConditionExpression: "pk = :unused",
        ExpressionAttributeValues: { ":unused": "UNUSED" },
        ConsistentRead: true,
      },
    );
    for await (const page of pages) {
      for (const found of page.Items ?? []) {
        if (found.since <= now - olderThan && (await this.claimed(found.object))) {
          await this.bucket.delete(found.object);
          await this.client.send(
            new DeleteCommand({ TableName: this.table, Key: markerKey(found.object) }),
          );
          removed += 1;
        }
      }
    }
    return removed;
  }

  /** Whether the marker of an object is there still; a write that uses it is refused from now on. */
  private async claimed(object: string): Promise<boolean> {
    try {
      await this.client.send(
        new UpdateCommand({
          TableName: this.table,
          Key: markerKey(object),
          UpdateExpression: "SET #state = :deleting",
          ConditionExpression: "attribute_exists(pk)",
          ExpressionAttributeNames: { "#state": "state" },
          ExpressionAttributeValues: { ":deleting": "DELETING" },
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }

  private async item(key: Key): Promise<Item | undefined> {
    const request = new GetCommand({ TableName: this.table, Key: key, ConsistentRead: true });
    return (await this.client.send(request)).Item;
  }

  private replaced(before: Item | undefined, now: number): Action[] {
    if (before?.object === undefined) return [];
    return [{ Put: { TableName: this.table, Item: marker(before.object, now) } }];
  }

  private async commit(actions: Action[]): Promise<void> {
    for (let attempts = 0; attempts < ATTEMPTS_MAX; attempts += 1) {
      try {
        await this.client.send(new TransactWriteCommand({ TransactItems: actions }));
        return;
      } catch (error) {
        if (!(error instanceof TransactionCanceledException)) throw error;
        const reasons = (error.CancellationReasons ?? []).map((reason) => reason.Code ?? "None");
        // While another transaction is at work on one of the items, it is tried again.
        if (!reasons.includes("TransactionConflict")) {
          throw new ChangedError(`nothing was written: ${reasons.join(", ")}`);
        }
      }
    }
    throw new ChangedError("too many others are at work on the same items");
  }
}

function checked(item: Item, content: Uint8Array): Uint8Array {
  let value = content;
  try {
    if (item.form === "zlib") value = inflateSync(content);
  } catch {
    throw new DamagedError(`${item.pk} ${item.sk} is damaged`);
  }
  if (checksum(value) !== item.sha256) {
    throw new DamagedError(`${item.pk} ${item.sk} is damaged: another checksum`);
  }
  return value;
}

function ifSame(before: Item | undefined) {
  if (before === undefined) return { ConditionExpression: "attribute_not_exists(pk)" };
  return {
    ConditionExpression: "version = :version",
    ExpressionAttributeValues: { ":version": before.version },
  };
}

function markerKey(object: string): Key {
  return { pk: "UNUSED", sk: `OBJECT#${object}` };
}

function marker(object: string, now: number): Item {
  return { ...markerKey(object), object, since: now, state: "OPEN" };
}

function checksum(value: Uint8Array): string {
  return createHash("sha256").update(value).digest("hex");
}

function id(): string {
  return randomUUID().replaceAll("-", "");
}

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}
