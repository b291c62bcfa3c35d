/** Workflows of more than one plain request: submitting, the top of all shards, and ranks. */

import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import {
  type DynamoDBDocumentClient,
  QueryCommand,
  UpdateCommand,
  type QueryCommandInput,
} from "@aws-sdk/lib-dynamodb";

import { shardOf, show } from "./dynamo.js";
import {
  TABLE,
  type Best,
  countAPlayerInABucket,
  higherBuckets,
  topOfAShard,
} from "./patterns.js";

const SHARDS = 10;
const BUCKET = 1000;
const ALL = [...Array(SHARDS).keys()];

/** Keeps a score if it is the player's best on the board; false if it is not. */
export async function submit(
  db: DynamoDBDocumentClient,
  player: Pick<Best, "playerId" | "name">,
  board: string,
  score: number,
  secondsLeft: number,
): Promise<boolean> {
  let before: number | undefined;
  try {
    const { Attributes } = await db.send(
      new UpdateCommand({
        TableName: TABLE,
        Key: { pk: `PLAYER#${player.playerId}`, sk: `BOARD#${board}` },
        UpdateExpression:
          "SET score = :score, secondsLeft = :left, board = :board, #shard = :shard, " +
          "playerId = :player, #name = :name",
        ConditionExpression: "attribute_not_exists(score) OR score < :score",
        ExpressionAttributeNames: { "#shard": "shard", "#name": "name" },
        ExpressionAttributeValues: {
          ":score": score,
          ":left": secondsLeft,
          ":board": board,
          ":shard": shardOf(player.playerId, SHARDS),
          ":player": player.playerId,
          ":name": player.name,
        },
        ReturnValues: "UPDATED_OLD",
      }),
    );
    before = Attributes?.["score"];
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
  await count(db, board, before, score);
  return true;
}

/** Moves a player from one bucket of the histogram to another. */
async function count(
  db: DynamoDBDocumentClient,
  board: string,
  before: number | undefined,
  after: number,
): Promise<void> {
  if (before !== undefined && floorOf(before) === floorOf(after)) return;
  await countAPlayerInABucket(db, board, floorOf(after));
  if (before === undefined) return;
  await db.send(
    new UpdateCommand({
      TableName: TABLE,
      Key: { pk: `HISTOGRAM#${board}`, sk: padded(floorOf(before)) },
      UpdateExpression: "ADD players :less",
      ExpressionAttributeValues: { ":less": -1 },
    }),
  );
}

/** The lowest score of the bucket of a score. */
export function floorOf(score: number): number {
  return Math.floor(score / BUCKET) * BUCKET;
}

function padded(floor: number): string {
  return String(floor).padStart(10, "0");
}

/** The best of a board, merged from all shards. */
export async function top(
  db: DynamoDBDocumentClient,
  board: string,
  limit: number,
): Promise<Partial<Best>[]> {
  const pages = await Promise.all(ALL.map((shard) => topOfAShard(db, board, shard, limit)));
  const merged = pages.flatMap((page) => page.items);
  merged.sort(
    (one, other) =>
      other.score! - one.score! ||
      other.secondsLeft! - one.secondsLeft! ||
      one.playerId!.localeCompare(other.playerId!),
  );
  return merged.slice(0, limit);
}

/** One more than the number of players with a higher score. */
export async function rank(
  db: DynamoDBDocumentClient,
  board: string,
  score: number,
): Promise<number> {
  const buckets = await higherBuckets(db, board, padded(floorOf(score)));
  const inside = await Promise.all(ALL.map((shard) => higherInBucket(db, board, shard, score)));
  const higher = buckets.map((each) => each.players);
  return [...higher, ...inside].reduce((sum, each) => sum + each, 1);
}

async function higherInBucket(
  db: DynamoDBDocumentClient,
  board: string,
  shard: number,
  score: number,
): Promise<number> {
  const [low, high] = [score + 1, floorOf(score) + BUCKET - 1];
  if (low > high) return 0;
  const request: QueryCommandInput = {
    TableName: TABLE,
    IndexName: "Top",
    Select: "COUNT",
    KeyConditionExpression: "board = :board AND #shard = :shard AND score BETWEEN :low AND :high",
    ExpressionAttributeNames: { "#shard": "shard" },
    ExpressionAttributeValues: { ":board": board, ":shard": shard, ":low": low, ":high": high },
  };
  let found = 0;
  do {
    const answer = await db.send(new QueryCommand(request));
    found += answer.Count ?? 0;
    request.ExclusiveStartKey = answer.LastEvaluatedKey;
  } while (request.ExclusiveStartKey !== undefined);
  return found;
}

/** Runs each workflow once. */
export async function demo(db: DynamoDBDocumentClient): Promise<void> {
  const board = "chess-2026w47";
  const dee = { playerId: "dee", name: "Dee" };
  show("Submit", await submit(db, dee, board, 2950, 500));
  show("Submit less", await submit(db, dee, board, 100, 400));
  const names = (await top(db, board, 2)).map((each) => each.name);
  show("Top", names.join(", "));
  show("Rank of 2900", await rank(db, board, 2900));
  show("Rank of 1200", await rank(db, board, 1200));
}
