/** Workflows of more than one plain request: appending, loading and replaying. */

import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";

import { type Item, getAll, shardOf, show, transact } from "./dynamo.js";
import {
  TABLE,
  type Event,
  type Key,
  type Snapshot,
  eventsAfterAVersion,
  eventsOfAShardAndDay,
  eventsOfAStream,
  newestSnapshot,
} from "./patterns.js";

const SHARDS = 8;
const EVENTS_MAX = 100;

/** Adds events after a version; false if another writer was first: load and decide again. */
export async function append(
  db: DynamoDBDocumentClient,
  stream: string,
  after: number,
  events: Pick<Event, "kind" | "body">[],
  recorded: string,
): Promise<boolean> {
  if (events.length === 0 || events.length > EVENTS_MAX) {
    throw new Error(`1 to ${EVENTS_MAX} events are appended at once`);
  }
  const place = { recorded, day: recorded.slice(0, 10), shard: shardOf(stream, SHARDS) };
  const actions = events.map((event, number) => ({
    Put: {
      TableName: TABLE,
      Item: { stream, version: after + 1 + number, ...event, ...place },
      ConditionExpression: "attribute_not_exists(version)",
    },
  }));
  return (await transact(db, actions)).length === 0;
}

/** The newest snapshot of a stream, if there is one, and the events after it. */
export async function load(
  db: DynamoDBDocumentClient,
  stream: string,
): Promise<[(Snapshot & Key) | undefined, Event[]]> {
  const snapshot = (await newestSnapshot(db, stream)).items[0];
  if (snapshot === undefined) return [undefined, await eventsOfAStream(db, stream)];
  return [snapshot, await eventsAfterAVersion(db, stream, snapshot.version)];
}

/** The events of some kinds of a shard and a day after a time, in order. */
export async function* replay(
  db: DynamoDBDocumentClient,
  day: string,
  shard: number,
  after: string,
  kinds: Set<string>,
): AsyncGenerator<Event> {
  let start: Item | undefined;
  do {
    const page = await eventsOfAShardAndDay(db, day, shard, after, 1000, start);
    const wanted = page.items.filter((each) => kinds.has(each.kind!));
    const keys = wanted.map(({ stream, version }) => ({ stream, version }));
    const found = await getAll<Event>(db, TABLE, keys);
    const order = (one: Event, other: Event) =>
      one.recorded.localeCompare(other.recorded) || one.version - other.version;
    yield* found.sort(order);
    start = page.next;
  } while (start !== undefined);
}

/** Moves the checkpoint of a projection forward; false if it is there or further already. */
export async function advance(
  db: DynamoDBDocumentClient,
  projection: string,
  shard: number,
  position: string,
): Promise<boolean> {
  try {
    await db.send(
      new UpdateCommand({
        TableName: TABLE,
        Key: { stream: `PROJECTION#${projection}`, version: shard },
        UpdateExpression: "SET #position = :position",
        ConditionExpression: "attribute_not_exists(#position) OR #position < :position",
        ExpressionAttributeNames: { "#position": "position" },
        ExpressionAttributeValues: { ":position": position },
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

/** Runs each workflow once. */
export async function demo(db: DynamoDBDocumentClient): Promise<void> {
  const recorded = "2026-11-20T10:00:00.000Z";
  const events = [
    { kind: "Removed", body: { sku: "tent-2" } },
    { kind: "Paid", body: {} },
  ];
  show("Append after version 3", await append(db, "cart-1", 3, events, recorded));
  show("Append after version 3 again", await append(db, "cart-1", 3, events, recorded));
  const [snapshot, found] = await load(db, "cart-1");
  show("Snapshot", snapshot);
  show("Events after it", found);
  const shard = shardOf("cart-1", SHARDS);
  const paid: Event[] = [];
  const wanted = new Set(["Paid"]);
  for await (const each of replay(db, "2026-11-20", shard, "2026-11-20T09:30", wanted)) {
    paid.push(each);
  }
  show("Replay", paid);
  show("Advance", await advance(db, "sales", shard, recorded));
  show("Advance again", await advance(db, "sales", shard, recorded));
}
