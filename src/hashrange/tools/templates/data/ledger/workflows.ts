/** Workflows of more than one plain request: transfers, their reversal, and sums of shards. */

import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

import { type Item, getAll, queryAll, shardOf, show, transact } from "./dynamo.js";
import {
  TABLE,
  type Account,
  type Transfer,
  entryItem,
  transferById,
  transferItem,
} from "./patterns.js";

const SHARDS = 4;
/** Accounts among which the fees are divided. */
const ACCOUNTS = 2;
const NEW = "attribute_not_exists(pk)";

type NewTransfer = Omit<Transfer, "day" | "shard" | "reversedBy">;

/**
 * Moves money from the account `debit` to `credit`: "posted", also if an earlier call has posted
 * it, "short" of money, or "no account". Throws if another transfer has this id.
 */
export async function postATransfer(
  db: DynamoDBDocumentClient,
  transfer: NewTransfer,
): Promise<string> {
  return post(db, transfer, []);
}

/** Moves the money of a transfer back, once; a second reversal with another id is "reversed". */
export async function reverseATransfer(
  db: DynamoDBDocumentClient,
  transferId: string,
  reversalId: string,
  at: string,
): Promise<string> {
  const first = await transferById(db, transferId);
  if (first === undefined) return "no transfer";
  if ((first.reversedBy ?? reversalId) !== reversalId) return "reversed";
  const mark = {
    TableName: TABLE,
    Key: { pk: first.pk, sk: first.sk },
    UpdateExpression: "SET reversedBy = :id",
    ConditionExpression: "attribute_not_exists(reversedBy)",
    ExpressionAttributeValues: { ":id": reversalId },
  };
  const back = {
    transferId: reversalId,
    debit: first.credit,
    credit: first.debit,
    amount: first.amount,
    text: `Reversal of ${transferId}`,
    at,
    reverses: transferId,
  };
  return post(db, back, [{ Update: mark }]);
}

async function post(
  db: DynamoDBDocumentClient,
  transfer: NewTransfer,
  before: { Update: ReturnType<typeof changed> }[],
): Promise<string> {
  const { transferId, debit, credit, amount, text, at } = transfer;
  if (amount <= 0 || debit === credit) {
    throw new Error("a transfer moves an amount above zero between two accounts");
  }
  const place = { day: at.slice(0, 10), shard: shardOf(transferId, SHARDS) };
  const entry = { month: at.slice(0, 7), bookedAt: at, transferId, text };
  const codes = await transact(db, [
    { Put: fresh(transferItem({ ...transfer, ...place })) },
    { Update: changed(debit, -amount) },
    { Update: changed(credit, amount) },
    { Put: fresh(entryItem({ ...entry, accountId: debit, other: credit, amount: -amount })) },
    { Put: fresh(entryItem({ ...entry, accountId: credit, other: debit, amount })) },
    ...before,
  ]);
  if (codes.length === 0) return "posted";
  const failed = codes.indexOf("ConditionalCheckFailed");
  if (failed === 0) {
    const found = await transferById(db, transferId);
    const same =
      found?.debit === debit &&
      found.credit === credit &&
      found.amount === amount &&
      found.text === text;
    if (!same) throw new Error(`${transferId} is the id of another transfer`);
    return "posted";
  }
  if (failed > 4) return "reversed";
  return failed === 1 ? "short" : "no account";
}

function fresh(item: Item) {
  return { TableName: TABLE, Item: item, ConditionExpression: NEW };
}

function changed(account: string, amount: number) {
  const paid = amount < 0;
  const values: Item = { ":amount": amount };
  if (paid) Object.assign(values, { ":needed": -amount, ":yes": true });
  return {
    TableName: TABLE,
    Key: { pk: `ACCOUNT#${account}`, sk: "ACCOUNT" },
    UpdateExpression: "SET balance = balance + :amount",
    ConditionExpression: paid ? "balance >= :needed OR overdraft = :yes" : "attribute_exists(pk)",
    ExpressionAttributeValues: values,
  };
}

/** The account for the fee of a transfer: one of several, so that none of them is hot. */
export function feeAccount(transferId: string): string {
  return `fees-${shardOf(transferId, ACCOUNTS)}`;
}

/** The sum of the accounts of fees. */
export async function allFees(db: DynamoDBDocumentClient): Promise<number> {
  const numbers = [...Array(ACCOUNTS).keys()];
  const keys = numbers.map((each) => ({ pk: `ACCOUNT#fees-${each}`, sk: "ACCOUNT" }));
  const found = await getAll<Account>(db, TABLE, keys);
  return found.reduce((sum, each) => sum + each.balance, 0);
}

/** The cents that were moved on a day, over all shards of the index. */
export async function volumeOfADay(db: DynamoDBDocumentClient, day: string): Promise<number> {
  const shards = [...Array(SHARDS).keys()].map((shard) =>
    queryAll<Transfer>(db, {
      TableName: TABLE,
      IndexName: "Daily",
      KeyConditionExpression: "#day = :day AND #shard = :shard",
      ExpressionAttributeNames: { "#day": "day", "#shard": "shard" },
      ExpressionAttributeValues: { ":day": day, ":shard": shard },
    }),
  );
  return (await Promise.all(shards)).flat().reduce((sum, each) => sum + each.amount, 0);
}

/** Runs each workflow once. */
export async function demo(db: DynamoDBDocumentClient): Promise<void> {
  const at = "2026-11-22T09:00:00.000Z";
  const lunch = { debit: "ada", credit: "bob", amount: 1250, text: "Books", at };
  const books = { ...lunch, transferId: "t-9" };
  show("Post a transfer", await postATransfer(db, books));
  show("Post it again", await postATransfer(db, books));
  const much = { ...lunch, transferId: "t-10", amount: 10 ** 9 };
  show("More than there is", await postATransfer(db, much));
  const fee = { ...lunch, transferId: "f-9", credit: feeAccount("t-9"), amount: 5, text: "Fee" };
  show("Its fee", await postATransfer(db, fee));
  show("All fees", await allFees(db));
  const later = "2026-11-22T10:00:00.000Z";
  show("Reverse it", await reverseATransfer(db, "t-9", "r-9", later));
  show("Reverse it by another id", await reverseATransfer(db, "t-9", "r-10", later));
  show("Moved on that day", await volumeOfADay(db, "2026-11-22"));
}
