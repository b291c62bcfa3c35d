// Many items at a time: pages of a scan or query, and batches of writes, with progress and an end.
import { attend, call } from "./api.js";
import { keyOf } from "./values.js";

const BATCH_MAX = 25;
const BATCH_BYTES_MAX = 4 * 1024 * 1024;
const TRIES_MAX = 8;

/** All pages of a Query or Scan. `abort` ends it between two pages. */
export async function* pages(operation, request, abort) {
  let start;
  do {
    if (abort?.aborted) return;
    attend();
    const page = await call(operation, { ...request, ReturnConsumedCapacity: "TOTAL", ...(start ? { ExclusiveStartKey: start } : {}) });
    yield page;
    start = page.LastEvaluatedKey;
  } while (start);
}

/** Write requests of BatchWriteItem, as many as there are; `done` hears how many are written. */
export async function writeAll(table, requests, done = () => {}, abort) {
  let written = 0;
  for (const batch of batches(requests)) {
    if (abort?.aborted) break;
    attend();
    let left = batch;
    for (let tries = 0; left.length; tries += 1) {
      if (tries === TRIES_MAX) throw new Error(`${left.length} items are still unprocessed after ${TRIES_MAX} attempts`);
      if (tries) await new Promise((resolve) => setTimeout(resolve, 50 * 2 ** tries));
      const answer = await call("BatchWriteItem", { RequestItems: { [table]: left } });
      left = answer.UnprocessedItems?.[table] ?? [];
    }
    written += batch.length;
    done(written);
  }
  return written;
}

function* batches(requests) {
  let batch = [];
  let size = 0;
  for (const request of requests) {
    const bytes = JSON.stringify(request).length;
    if (batch.length === BATCH_MAX || (batch.length && size + bytes > BATCH_BYTES_MAX)) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(request);
    size += bytes;
  }
  if (batch.length) yield batch;
}

export const putOf = (item) => ({ PutRequest: { Item: item } });
export const deleteOf = (item, schema) => ({ DeleteRequest: { Key: keyOf(item, schema) } });

/** Delete all items of a table. */
export async function purge(table, say, abort) {
  const names = Object.fromEntries(table.KeySchema.map((each, index) => [`#k${index}`, each.AttributeName]));
  const request = { TableName: table.TableName, ProjectionExpression: Object.keys(names).join(", "), ExpressionAttributeNames: names, ConsistentRead: true };
  let gone = 0;
  for await (const page of pages("Scan", request, abort)) {
    await writeAll(table.TableName, page.Items.map((item) => deleteOf(item, table.KeySchema)), (count) => say(gone + count), abort);
    gone += page.Items.length;
  }
  return gone;
}

/** Copy all items of a table to another one. */
export async function copyItems(from, to, say, abort) {
  let copied = 0;
  for await (const page of pages("Scan", { TableName: from, ConsistentRead: true }, abort)) {
    await writeAll(to, page.Items.map(putOf), (count) => say(copied + count), abort);
    copied += page.Items.length;
  }
  return copied;
}
