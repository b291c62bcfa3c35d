// Reads a stream: its shards in the order of their lineage, from now, from the start, or from a record.
import { call } from "./api.js";

const ROUND_MS = 1000;
const SHARDS_MS = 10_000;
const PAGE = 200;
export const LATEST = "latest";
export const START = "start";

/** The description of a stream with all its shards. */
export async function streamOf(arn) {
  let found;
  let from;
  do {
    const page = (await call("DescribeStream", { StreamArn: arn, ...(from ? { ExclusiveStartShardId: from } : {}) })).StreamDescription;
    found = found ? { ...found, Shards: [...found.Shards, ...page.Shards] } : page;
    from = page.LastEvaluatedShardId;
  } while (from);
  return found;
}

export const isOpen = (shard) => !shard.SequenceNumberRange.EndingSequenceNumber;

/** The shards as a tree: each with its children, roots first. */
export function treeOf(shards) {
  const nodes = new Map(shards.map((shard) => [shard.ShardId, { shard, children: [] }]));
  const roots = [];
  for (const node of nodes.values()) (nodes.get(node.shard.ParentShardId)?.children ?? roots).push(node);
  return roots;
}

/** The shard that has, or would have, a record with a sequence number; undefined if none does. */
export function shardOf(shards, number) {
  const wanted = BigInt(number);
  return shards.findLast(({ SequenceNumberRange: { StartingSequenceNumber: first, EndingSequenceNumber: last } }) => BigInt(first) <= wanted && (last === undefined || wanted <= BigInt(last)));
}

/** The shards that may be read now: those whose parents were read to their ends, or are gone. */
export function dueShards(shards, begun, finished) {
  const known = new Set(shards.map((each) => each.ShardId));
  return shards.filter(({ ShardId: id, ParentShardId: parent }) => !begun.has(id) && (!parent || !known.has(parent) || finished.has(parent)));
}

const wait = (ms, signal) => new Promise((resolve) => {
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, { once: true });
});

/**
 * Read until `signal` aborts. `from`: `latest`, `start`, or `{ shard, number }` for a record, of whose shard and
 * descendants all is read. `onRecords` gets the records of each page, with their shard; `onBegun` is called once
 * no record from then on is missed; `isPaused` is asked each round.
 */
export async function tail(arn, from, { signal, onBegun, onRecords, onShards, isPaused }) {
  const readers = new Map();
  const begun = new Set();
  const finished = new Set();
  let shards = [];
  let readAt = -Infinity;
  const iterator = async (id, type, number) => (await call("GetShardIterator", { StreamArn: arn, ShardId: id, ShardIteratorType: type, ...(number ? { SequenceNumber: number } : {}) })).ShardIterator;
  const begin = async (id, type, number) => {
    begun.add(id);
    readers.set(id, { iterator: await iterator(id, type, number), last: undefined });
  };
  const look = async () => {
    const described = await streamOf(arn);
    shards = described.Shards;
    readAt = performance.now();
    onShards(described);
  };
  await look();
  if (from === LATEST) {
    for (const each of shards) {
      if (isOpen(each)) await begin(each.ShardId, "LATEST");
      else for (const set of [begun, finished]) set.add(each.ShardId);
    }
  } else if (from !== START) {
    await begin(from.shard, "AT_SEQUENCE_NUMBER", from.number);
    const wanted = descendants(shards, from.shard);
    for (const each of shards) if (!wanted.has(each.ShardId)) begun.add(each.ShardId);
  }
  onBegun();
  while (!signal.aborted) {
    if (!isPaused()) {
      for (const each of dueShards(shards, begun, finished)) await begin(each.ShardId, "TRIM_HORIZON");
      for (const [id, reader] of readers) {
        const page = await pageOf(reader, (type, number) => iterator(id, type, number));
        if (signal.aborted) return;
        if (page.Records.length) {
          reader.last = page.Records.at(-1).dynamodb.SequenceNumber;
          onRecords(page.Records.map((record) => ({ ...record, shard: id })));
        }
        reader.iterator = page.NextShardIterator;
        if (!reader.iterator) {
          readers.delete(id);
          finished.add(id);
          readAt = -Infinity;
        }
      }
      if (performance.now() - readAt > SHARDS_MS) await look();
    }
    await wait(ROUND_MS, signal);
  }
}

function descendants(shards, root) {
  const found = new Set([root]);
  for (const each of shards) if (found.has(each.ParentShardId)) found.add(each.ShardId);
  found.delete(root);
  return found;
}

/** A page; an iterator that has expired meanwhile is renewed after the last record that was read. */
async function pageOf(reader, renew) {
  try {
    return await call("GetRecords", { ShardIterator: reader.iterator, Limit: PAGE });
  } catch (error) {
    if (error.type !== "ExpiredIteratorException" || !reader.last) throw error;
    return call("GetRecords", { ShardIterator: await renew("AFTER_SEQUENCE_NUMBER", reader.last), Limit: PAGE });
  }
}

/* Filters */

/** What is wrong with a filter; undefined if nothing is. */
export function filterFault(text) {
  if (!text.trim().startsWith("{")) return undefined;
  try {
    checkPattern(JSON.parse(text));
    return undefined;
  } catch (error) {
    return error.message;
  }
}

function checkPattern(pattern) {
  for (const [name, value] of Object.entries(pattern)) {
    if (Array.isArray(value)) {
      for (const rule of value) {
        if (rule !== null && typeof rule === "object" && !["prefix", "exists", "anything-but"].includes(Object.keys(rule)[0])) throw new Error(`${name}: only values, prefix, exists and anything-but are shown here`);
      }
    } else if (value && typeof value === "object") checkPattern(value);
    else throw new Error(`${name}: a pattern has lists of values, as ["open"]`);
  }
}

/** Whether a record matches: a text that it contains, or a pattern as event filters of Lambda have. */
export function matchesFilter(record, text) {
  const wanted = text.trim();
  if (!wanted) return true;
  if (!wanted.startsWith("{")) return JSON.stringify(record).toLowerCase().includes(wanted.toLowerCase());
  return filterFault(wanted) === undefined && fits(record, JSON.parse(wanted));
}

const fits = (value, pattern) => Object.entries(pattern).every(([name, rule]) => (Array.isArray(rule) ? rule.some((each) => obeys(value?.[name], each)) : fits(value?.[name], rule)));

function obeys(value, rule) {
  if (rule === null || typeof rule !== "object") return value === rule;
  if ("prefix" in rule) return typeof value === "string" && value.startsWith(rule.prefix);
  if ("exists" in rule) return (value !== undefined) === rule.exists;
  return value !== undefined && ![rule["anything-but"]].flat().includes(value);
}
