/** Workflows of more than one plain request: sending, reading backwards, and the inbox. */

import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";

import { type Item, getAll, show } from "./dynamo.js";
import {
  TABLE,
  type Channel,
  type Key,
  type Message,
  channelsOfAMember,
  messagesOfAMonth,
  putAMessage,
} from "./patterns.js";

/** Whether a write was not refused by its condition. */
async function succeeded(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

/** Puts a message and notes it in its channel; false if it was there already. */
export async function send(
  db: DynamoDBDocumentClient,
  message: Omit<Message, "month">,
): Promise<boolean> {
  const id = message.messageId;
  const month = `${id.slice(0, 4)}-${id.slice(4, 6)}`;
  const isNew = await succeeded(putAMessage(db, { ...message, month }));
  // Also in a retry: the first call may have ended between the two writes.
  await succeeded(
    db.send(
      new UpdateCommand({
        TableName: TABLE,
        Key: { pk: `CHANNEL#${message.channelId}`, sk: "CHANNEL" },
        UpdateExpression: "SET newest = :id",
        ConditionExpression: "newest < :id",
        ExpressionAttributeValues: { ":id": id },
      }),
    ),
  );
  return isNew;
}

/** The month before one, as 2026-11. */
export function before(month: string): string {
  const [year, number] = [Number(month.slice(0, 4)), Number(month.slice(5))];
  return number === 1 ? `${year - 1}-12` : `${year}-${String(number - 1).padStart(2, "0")}`;
}

/** The newest messages with their reactions, from a month backwards to the first. */
export async function history(
  db: DynamoDBDocumentClient,
  channel: Channel,
  month: string,
  limit: number,
): Promise<Item[]> {
  const found: Item[] = [];
  while (month >= channel.firstMonth && found.length < limit) {
    const left = limit - found.length;
    found.push(...(await messagesOfAMonth(db, channel.channelId, month, left)).items);
    month = before(month);
  }
  return found;
}

/** The channels of a member, the most recent first, with `unread`. */
export async function inbox(
  db: DynamoDBDocumentClient,
  memberId: string,
): Promise<(Channel & Key & { unread: boolean })[]> {
  const read = new Map<string, string>();
  for (const each of await channelsOfAMember(db, memberId)) {
    read.set(each.channelId!, each.lastRead!);
  }
  const keys = [...read.keys()].map((each) => ({ pk: `CHANNEL#${each}`, sk: "CHANNEL" }));
  const channels = await getAll<Channel & Key>(db, TABLE, keys);
  return channels
    .map((each) => ({ ...each, unread: each.newest > read.get(each.channelId)! }))
    .sort((one, other) => other.newest.localeCompare(one.newest));
}

/** Runs each workflow once. */
export async function demo(db: DynamoDBDocumentClient): Promise<void> {
  const messageId = "20261121T100000Z-m5";
  const message = { channelId: "fun", messageId, author: "bob", text: "Ha" };
  show("Send", await send(db, message));
  show("Send it again", await send(db, message));
  const channels = await inbox(db, "ada");
  show("Inbox", channels);
  show("Unread", channels.filter((each) => each.unread).length);
  show("History", await history(db, channels[1]!, "2026-11", 10));
}
