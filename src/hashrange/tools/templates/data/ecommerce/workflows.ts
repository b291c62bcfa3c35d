/** Workflows of more than one plain request: placing an order, and sending what waits. */

import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

import { getAll, shardOf, show, transact } from "./dynamo.js";
import {
  TABLE,
  type CartLine,
  type Key,
  type Product,
  cartOfACustomer,
  orderItem,
  orderWithItsLines,
  orderLineItem,
  ordersToSend,
  sendAnOrder,
} from "./patterns.js";

const QUEUES = 10;
const LINES_MAX = 33;
const FAILED = "ConditionalCheckFailed";

/** The queue of an order, always the same. */
export function queueOf(orderId: string): string {
  return String(shardOf(orderId, QUEUES));
}

/**
 * Orders what is in the cart: "placed", also if an earlier call has placed it, "empty", or
 * "sold out: " and a product. The id is made before the payment, and is the same in each retry.
 */
export async function placeAnOrder(
  db: DynamoDBDocumentClient,
  orderId: string,
  customerId: string,
  placed: string,
): Promise<string> {
  const cart = await cartOfACustomer(db, customerId);
  if (cart.length === 0) {
    return (await orderWithItsLines(db, orderId)).length > 0 ? "placed" : "empty";
  }
  if (cart.length > LINES_MAX) throw new Error(`more than ${LINES_MAX} lines`);
  const keys = cart.map((line) => ({ pk: `PRODUCT#${line.sku}`, sk: "PRODUCT" }));
  const products = new Map<string, Product>();
  for (const each of await getAll<Product>(db, TABLE, keys)) products.set(each.sku, each);
  const lines = cart.map(({ sku, quantity }, number) => {
    const { title, price } = products.get(sku)!;
    return { orderId, position: number + 1, sku, title, quantity, unitPrice: price };
  });
  const total = lines.reduce((sum, line) => sum + line.quantity * line.unitPrice, 0);
  const head = { orderId, customerId, placed, status: "paid", total, queue: queueOf(orderId) };
  const Put = {
    TableName: TABLE,
    Item: orderItem(head),
    ConditionExpression: "attribute_not_exists(pk)",
  };
  const codes = await transact(db, [
    { Put },
    ...cart.map((line) => ({ Update: taken(line) })),
    ...lines.map((line) => ({ Put: { TableName: TABLE, Item: orderLineItem(line) } })),
    ...cart.map((line) => ({ Delete: outOfTheCart(line) })),
  ]);
  if (codes.length === 0 || codes[0] === FAILED) return "placed";
  const short = cart[codes.slice(1, cart.length + 1).indexOf(FAILED)];
  // Without a product that is sold out, the cart has changed meanwhile.
  if (short === undefined) return placeAnOrder(db, orderId, customerId, placed);
  return `sold out: ${short.sku}`;
}

function taken(line: CartLine) {
  return {
    TableName: TABLE,
    Key: { pk: `PRODUCT#${line.sku}`, sk: "STOCK" },
    UpdateExpression: "SET available = available - :quantity",
    ConditionExpression: "available >= :quantity",
    ExpressionAttributeValues: { ":quantity": line.quantity },
  };
}

/** Deletes a line that still has the quantity that was ordered. */
function outOfTheCart({ pk, sk, quantity }: CartLine & Key) {
  return {
    TableName: TABLE,
    Key: { pk, sk },
    ConditionExpression: "quantity = :quantity",
    ExpressionAttributeValues: { ":quantity": quantity },
  };
}

/** Takes the oldest order of a queue; undefined if nothing waits. */
export async function sendNext(
  db: DynamoDBDocumentClient,
  queue: string,
): Promise<string | undefined> {
  const { items } = await ordersToSend(db, queue);
  for (const { orderId } of items) {
    try {
      return (await sendAnOrder(db, orderId!)).orderId;
    } catch (error) {
      // Another worker was first, and the index is a moment behind.
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  }
  return undefined;
}

/** Runs each workflow once. */
export async function demo(db: DynamoDBDocumentClient): Promise<void> {
  const placed = "2026-11-21T10:00:00Z";
  show("Place an order", await placeAnOrder(db, "o-9", "ada", placed));
  show("Place it again", await placeAnOrder(db, "o-9", "ada", placed));
  show("The order", await orderWithItsLines(db, "o-9"));
  const sent = await sendNext(db, queueOf("o-9"));
  show("Send an order of its queue", sent ?? "nothing waits");
  show("Place an order of an empty cart", await placeAnOrder(db, "o-10", "ada", placed));
}
