// Definitions of tables: from forms to requests, from descriptions to requests, and what they cost.
import { call } from "./api.js";

export const KEY_TYPES = [["S", "String"], ["N", "Number"], ["B", "Binary"]];
export const VIEWS = [["", "off"], ["NEW_AND_OLD_IMAGES", "new and old images"], ["NEW_IMAGE", "new image"], ["OLD_IMAGE", "old image"], ["KEYS_ONLY", "keys only"]];
export const PROJECTIONS = ["ALL", "KEYS_ONLY", "INCLUDE"];
export const CLASSES = [["STANDARD", "Standard"], ["STANDARD_INFREQUENT_ACCESS", "Infrequent access"]];
export const INDEX_KEYS_MAX = 4;

/** AWS's prices in us-east-1, in dollars, of capacity/prices.toml: an hour, a million requests, a GB a month. */
const PRICES = {
  STANDARD: { read: 0.00013, write: 0.00065, reads: 0.125, writes: 0.625, storage: 0.25 },
  STANDARD_INFREQUENT_ACCESS: { read: 0.00016, write: 0.00081, reads: 0.155, writes: 0.78, storage: 0.1 },
};
const HOURS = 730;

const emptyUnits = { reads: "5", writes: "5", readsMax: "", writesMax: "", warmReads: "", warmWrites: "" };
export const emptyKey = (name = "", type = "S") => ({ name, type });
export const emptyIndex = (kind) => ({ kind, name: "", hash: [emptyKey()], range: [], projection: "ALL", include: "", ...emptyUnits });

export const emptyForm = () => ({
  name: "", hash: [emptyKey("pk")], range: [], indexes: [], mode: "PAY_PER_REQUEST", ...emptyUnits,
  tableClass: "STANDARD", ttl: "", stream: "", pitr: false, protection: false, tags: [],
});

const whole = (text) => Number.parseInt(text, 10);
const keySchema = (hash, range) => [
  ...hash.map(({ name }) => ({ AttributeName: name, KeyType: "HASH" })),
  ...range.map(({ name }) => ({ AttributeName: name, KeyType: "RANGE" })),
];

/** The member of CreateTable or UpdateTable for an index of a form. */
export function indexOf(index, mode, tableHash) {
  const hash = index.kind === "local" ? tableHash : index.hash;
  const projection = { ProjectionType: index.projection };
  if (index.projection === "INCLUDE") projection.NonKeyAttributes = index.include.split(",").map((each) => each.trim()).filter(Boolean);
  const found = { IndexName: index.name, KeySchema: keySchema(hash, index.range), Projection: projection };
  return index.kind === "global" ? { ...found, ...throughputOf(index, mode) } : found;
}

/** The members of a table or a global index that say what it can do. */
function throughputOf({ reads, writes, readsMax, writesMax, warmReads, warmWrites }, mode) {
  const found = {};
  if (mode === "PROVISIONED") found.ProvisionedThroughput = { ReadCapacityUnits: whole(reads), WriteCapacityUnits: whole(writes) };
  // Only a change takes -1 for no limit.
  else if (readsMax || writesMax) found.OnDemandThroughput = { ...(readsMax && { MaxReadRequestUnits: whole(readsMax) }), ...(writesMax && { MaxWriteRequestUnits: whole(writesMax) }) };
  if (warmReads && warmWrites) found.WarmThroughput = { ReadUnitsPerSecond: whole(warmReads), WriteUnitsPerSecond: whole(warmWrites) };
  return found;
}

/** What is wrong in a form, by field; empty if nothing is. */
export function faultsOfForm(form) {
  const faults = {};
  if (!/^[A-Za-z0-9_.-]{3,255}$/.test(form.name)) faults.name = "3 to 255 letters, digits, and _ . -";
  const types = {};
  for (const key of [...form.hash, ...form.range, ...form.indexes.flatMap((each) => [...(each.kind === "local" ? [] : each.hash), ...each.range])]) {
    if (!key.name) faults.keys = "Each key needs the name of an attribute";
    else if (types[key.name] && types[key.name] !== key.type) faults.keys = `${key.name} has two types`;
    types[key.name] = key.type;
  }
  if (form.indexes.some((each) => !/^[A-Za-z0-9_.-]{3,255}$/.test(each.name))) faults.indexes = "Each index needs a name of 3 to 255 letters, digits, and _ . -";
  if (form.indexes.some((each) => each.kind === "local" && !form.range.length)) faults.indexes = "A local index needs a table with a sort key";
  return faults;
}

/** The request of CreateTable for a form. */
export function createRequest(form) {
  const types = {};
  for (const key of [...form.hash, ...form.range, ...form.indexes.flatMap((each) => [...(each.kind === "local" ? [] : each.hash), ...each.range])]) types[key.name] = key.type;
  const request = {
    TableName: form.name,
    AttributeDefinitions: Object.entries(types).map(([name, type]) => ({ AttributeName: name, AttributeType: type })),
    KeySchema: keySchema(form.hash, form.range),
    BillingMode: form.mode,
    ...throughputOf(form, form.mode),
  };
  for (const [kind, member] of [["global", "GlobalSecondaryIndexes"], ["local", "LocalSecondaryIndexes"]]) {
    const found = form.indexes.filter((each) => each.kind === kind).map((each) => indexOf(each, form.mode, form.hash));
    if (found.length) request[member] = found;
  }
  if (form.tableClass !== "STANDARD") request.TableClass = form.tableClass;
  if (form.stream) request.StreamSpecification = { StreamEnabled: true, StreamViewType: form.stream };
  if (form.protection) request.DeletionProtectionEnabled = true;
  const tags = form.tags.filter((each) => each.key);
  if (tags.length) request.Tags = tags.map(({ key, value }) => ({ Key: key, Value: value }));
  return request;
}

/** The request of CreateTable that makes a table like one that is described. */
export function requestLike(table, name) {
  const pick = ({ IndexName, KeySchema, Projection, ProvisionedThroughput: units, OnDemandThroughput: most }) => ({
    IndexName, KeySchema, Projection, ...(units?.ReadCapacityUnits ? { ProvisionedThroughput: unitsOf(units) } : {}), ...limitsOf(most),
  });
  const pickVector = ({ IndexName, VectorAttribute, SearchSchema, Projection, Dimensions, DistanceFunction }) => ({
    IndexName, VectorAttribute, ...(SearchSchema ? { SearchSchema } : {}), Projection, Dimensions, DistanceFunction,
  });
  const mode = modeOf(table);
  const request = {
    TableName: name, AttributeDefinitions: table.AttributeDefinitions, KeySchema: table.KeySchema, BillingMode: mode,
    ...(mode === "PROVISIONED" ? { ProvisionedThroughput: unitsOf(table.ProvisionedThroughput) } : {}),
    ...limitsOf(table.OnDemandThroughput),
    ...(table.GlobalSecondaryIndexes ? { GlobalSecondaryIndexes: table.GlobalSecondaryIndexes.map(pick) } : {}),
    ...(table.LocalSecondaryIndexes ? { LocalSecondaryIndexes: table.LocalSecondaryIndexes.map(pick).map(({ ProvisionedThroughput: _, ...each }) => each) } : {}),
    ...(table.VectorIndexes ? { VectorIndexes: table.VectorIndexes.map(pickVector) } : {}),
    ...(table.StreamSpecification?.StreamEnabled ? { StreamSpecification: table.StreamSpecification } : {}),
    ...(table.TableClassSummary?.TableClass ? { TableClass: table.TableClassSummary.TableClass } : {}),
  };
  return request;
}

/** The limits of a description that are limits; -1 stands for none. */
function limitsOf(most) {
  const found = Object.fromEntries(Object.entries(most ?? {}).filter(([, units]) => units > 0));
  return Object.keys(found).length ? { OnDemandThroughput: found } : {};
}

const unitsOf = ({ ReadCapacityUnits, WriteCapacityUnits }) => ({ ReadCapacityUnits, WriteCapacityUnits });
export const modeOf = (table) => table.BillingModeSummary?.BillingMode ?? "PROVISIONED";

export function unitsText(table) {
  if (modeOf(table) === "PAY_PER_REQUEST") return "on demand";
  const { ReadCapacityUnits: reads, WriteCapacityUnits: writes } = table.ProvisionedThroughput;
  return `${reads} read · ${writes} write`;
}

/** What a table of a form costs a month on AWS, in words. */
export function costText(form) {
  const price = PRICES[form.tableClass];
  if (form.mode === "PAY_PER_REQUEST") {
    return `On AWS: $${price.writes} per million writes of 1 KB, $${price.reads} per million reads of 4 KB (half if eventually consistent), $${price.storage} a GB and month. Each index that a write changes counts as one write more.`;
  }
  const all = [form, ...form.indexes.filter((each) => each.kind === "global")];
  const sum = (member) => all.reduce((total, each) => total + (whole(each[member]) || 0), 0);
  const dollars = HOURS * (sum("reads") * price.read + sum("writes") * price.write);
  return `On AWS: $${dollars.toFixed(2)} a month for ${sum("reads")} read and ${sum("writes")} write units, and $${price.storage} a GB and month.`;
}

export const describe = async (name) => (await call("DescribeTable", { TableName: name })).Table;
export const ttlOf = async (name) => (await call("DescribeTimeToLive", { TableName: name })).TimeToLiveDescription;
export const recoveryOf = async (name) => (await call("DescribeContinuousBackups", { TableName: name })).ContinuousBackupsDescription.PointInTimeRecoveryDescription;

/** Wait until a table is as wanted; returns its description, undefined once it is gone. */
export async function awaited(name, isDone = (table) => table?.TableStatus === "ACTIVE") {
  for (;;) {
    let table;
    try {
      table = await describe(name);
    } catch (error) {
      if (error.type !== "ResourceNotFoundException") throw error;
    }
    if (isDone(table)) return table;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

/** Create a table with what CreateTable cannot do: time to live, and recovery. */
export async function create(request, { ttl = "", pitr = false }, say = () => {}) {
  await call("CreateTable", request);
  if (!ttl && !pitr) return;
  say("Waiting until the table is active …");
  await awaited(request.TableName);
  if (ttl) await call("UpdateTimeToLive", { TableName: request.TableName, TimeToLiveSpecification: { Enabled: true, AttributeName: ttl } });
  if (pitr) await call("UpdateContinuousBackups", { TableName: request.TableName, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } });
}
