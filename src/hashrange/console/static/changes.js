// Staged changes of items, and how they are written: each on the condition that what was seen is still there.
import { ApiError, attend, call } from "./api.js";
import { equal, equalItems, keyId, keyOf, own } from "./values.js";

/** An expression has at most 4 KB and 300 operators, of which each comparison needs two. */
const COMPARISONS_MAX = 149;

/** A change: `before` and `after` are items; one of them is missing for an insertion or deletion. */
export function changeOf(before, after, schema) {
  return { id: keyId(before ?? after, schema), key: keyOf(before ?? after, schema), before, after };
}

export const kindOf = ({ before, after }) => (before ? (after ? "update" : "delete") : "insert");

/** Names of attributes that differ. */
export const changedNames = ({ before = {}, after = {} }) => [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => !equal(own(before, name), own(after, name)));

/** A condition that attributes are as they were seen; extends names and values. */
function asSeen(names, before, expressions) {
  return names.map((name) => {
    const path = expressions.name(name);
    return Object.hasOwn(before, name) ? `${path}=${expressions.value(before[name])}` : `attribute_not_exists(${path})`;
  });
}

class Names {
  ExpressionAttributeNames = {};
  ExpressionAttributeValues = {};

  name(name) {
    const key = `#a${Object.keys(this.ExpressionAttributeNames).length}`;
    const found = Object.entries(this.ExpressionAttributeNames).find(([, each]) => each === name);
    if (found) return found[0];
    this.ExpressionAttributeNames[key] = name;
    return key;
  }

  value(value) {
    const key = `:a${Object.keys(this.ExpressionAttributeValues).length}`;
    this.ExpressionAttributeValues[key] = value;
    return key;
  }

  get members() {
    return {
      ExpressionAttributeNames: this.ExpressionAttributeNames,
      ...(Object.keys(this.ExpressionAttributeValues).length ? { ExpressionAttributeValues: this.ExpressionAttributeValues } : {}),
    };
  }
}

/** The write of a change: `{ operation, request }`. */
export function writeOf(table, change) {
  const { TableName, KeySchema } = table;
  const { before, after } = change;
  const keys = KeySchema.map((each) => each.AttributeName);
  const names = new Names();
  if (!before) return { operation: "PutItem", request: putOfNew(TableName, after, keys) };
  if (!after) return { operation: "DeleteItem", request: deleteAsSeen(TableName, before, KeySchema) };
  if (keyId(before, KeySchema) !== keyId(after, KeySchema)) {
    const request = { TransactItems: [{ Delete: deleteAsSeen(TableName, before, KeySchema) }, { Put: putOfNew(TableName, after, keys) }] };
    return { operation: "TransactWriteItems", request };
  }
  const differing = changedNames(change);
  const set = differing.filter((name) => Object.hasOwn(after, name));
  const removed = differing.filter((name) => !Object.hasOwn(after, name));
  const update = [
    set.length && `SET ${set.map((name) => `${names.name(name)}=${names.value(after[name])}`).join(",")}`,
    removed.length && `REMOVE ${removed.map((name) => names.name(name)).join(",")}`,
  ].filter(Boolean).join(" ");
  const condition = [`attribute_exists(${names.name(keys[0])})`, ...asSeen(differing, before, names)].join(" AND ");
  return { operation: "UpdateItem", request: { TableName, Key: keyOf(before, KeySchema), UpdateExpression: update, ConditionExpression: condition, ...names.members } };
}

function putOfNew(TableName, item, keys) {
  return { TableName, Item: item, ConditionExpression: "attribute_not_exists(#a0)", ExpressionAttributeNames: { "#a0": keys[0] } };
}

function deleteAsSeen(TableName, before, schema) {
  const names = new Names();
  const keys = schema.map((each) => each.AttributeName);
  const seen = Object.keys(before).filter((name) => !keys.includes(name)).slice(0, COMPARISONS_MAX);
  const condition = [`attribute_exists(${names.name(keys[0])})`, ...asSeen(seen, before, names)].join(" AND ");
  return { TableName, Key: keyOf(before, schema), ConditionExpression: condition, ...names.members };
}

const AT_ONCE = 4;

/** Whether a condition was not met: what was seen is not there any more. */
const isConflict = ({ type, answer }) => type === "ConditionalCheckFailedException" || (type === "TransactionCanceledException" && answer.CancellationReasons?.some((each) => each.Code === "ConditionalCheckFailed"));

/**
 * Write changes, some at once unless one of them changes a key. The result has those that were written, each with its inverse; the
 * conflicts, with the item as it is now; and the first other error, after which nothing is written.
 * `say` hears how many are done; `abort` ends it between two.
 */
export async function writeChanges(table, changes, say = () => {}, abort) {
  const result = { written: [], conflicts: [], error: null, units: 0 };
  const waiting = changes.values();
  let done = 0;
  const work = async () => {
    for (const change of waiting) {
      if (abort?.aborted || result.error) return;
      attend();
      try {
        await writeOne(table, change, result);
      } catch (error) {
        result.error ??= error;
      }
      done += 1;
      say(done);
    }
  };
  const inOrder = changes.some(({ before: old, after }) => old && after && keyId(old, table.KeySchema) !== keyId(after, table.KeySchema));
  await Promise.all(Array.from({ length: inOrder ? 1 : AT_ONCE }, work));
  return result;
}

async function writeOne(table, change, result) {
  const { operation, request } = writeOf(table, change);
  const isSingle = operation !== "TransactWriteItems";
  try {
    const answer = await call(operation, {
      ...request,
      ReturnConsumedCapacity: "TOTAL",
      ...(isSingle ? { ReturnValues: operation === "UpdateItem" ? "NONE" : "ALL_OLD", ReturnValuesOnConditionCheckFailure: "ALL_OLD" } : {}),
    });
    result.units += [answer.ConsumedCapacity ?? []].flat().reduce((sum, each) => sum + each.CapacityUnits, 0);
    if (operation === "DeleteItem" && answer.Attributes && !sameSeen(before(change), answer.Attributes)) {
      // More attributes than a condition can compare, and one of the others has changed: put it back.
      await call("PutItem", putOfNew(table.TableName, answer.Attributes, table.KeySchema.map((each) => each.AttributeName)));
      result.conflicts.push({ change, now: answer.Attributes });
      return;
    }
    result.written.push({ ...change, before: change.after ? change.before : (answer.Attributes ?? change.before) });
  } catch (error) {
    if (!isConflict(error)) throw error;
    if (!isSingle && error.answer.CancellationReasons[0].Code === "None") throw new ApiError({ ...error, type: "The key is taken", message: "An item with the new key is there already.", request: error.request });
    result.conflicts.push({ change, now: error.answer.Item ?? (await itemNow(table, change)) });
  }
}

const before = (change) => change.before ?? {};
const sameSeen = (seen, now) => Object.keys(seen).every((name) => equal(seen[name], own(now, name)));

/** The item of a change as it is now; undefined if there is none. */
export async function itemNow(table, { key }) {
  return (await call("GetItem", { TableName: table.TableName, Key: key, ConsistentRead: true })).Item;
}

/** The change that takes back a change that was written. */
export const inverse = (change, schema) => changeOf(change.after, change.before, schema);

/** Put changes among staged ones: a later change of the same item takes the place of the earlier one. */
export function staged(changes, added, schema) {
  const found = new Map(changes.map((each) => [each.id, each]));
  for (const change of added) {
    const earlier = found.get(change.id);
    const merged = earlier ? { ...change, before: earlier.before, key: earlier.key } : change;
    const { before, after } = merged;
    found.delete(change.id);
    if (before ? !after || !equalItems(before, after) || keyId(before, schema) !== keyId(after, schema) : after) found.set(change.id, merged);
  }
  return [...found.values()];
}
