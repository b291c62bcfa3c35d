// The query builder: from its fields to a request of Query or Scan. Pure.
import { numberFault } from "./values.js";

export const SORT_OPERATORS = [["", "any"], "=", "<", "<=", ">", ">=", "between", "begins_with"];
export const FILTER_OPERATORS = ["=", "<>", "<", "<=", ">", ">=", "between", "in", "begins_with", "contains", "not contains", ["exists", "exists"], ["not exists", "does not exist"], ["type", "has type"], "size =", "size <", "size >"];
export const VALUE_TYPES = [["S", "String"], ["N", "Number"], ["BOOL", "Boolean"], ["NULL", "Null"], ["B", "Binary"], ["JSON", "DynamoDB JSON"]];
const WITHOUT_VALUE = new Set(["exists", "not exists"]);
export const takesValue = (operator, type) => !WITHOUT_VALUE.has(operator) && !(type === "NULL" && operator !== "type");

export const emptyQuery = () => ({ mode: "scan", index: "", pk: [], sk: [], filters: [], any: false, order: "asc", consistent: false, limit: "50", fields: "", fill: true });
export const emptyFilter = () => ({ path: "", op: "=", type: "S", a: "", b: "" });

export const allIndexes = (table) => [...(table.GlobalSecondaryIndexes ?? []), ...(table.LocalSecondaryIndexes ?? [])];
export const isGlobal = (table, name) => (table.GlobalSecondaryIndexes ?? []).some((each) => each.IndexName === name);

/** The key attributes of the table or index of a query: `{ name, type, kind }`. */
export function keysOf(table, index) {
  const schema = index ? (allIndexes(table).find((each) => each.IndexName === index)?.KeySchema ?? table.KeySchema) : table.KeySchema;
  const types = Object.fromEntries(table.AttributeDefinitions.map((each) => [each.AttributeName, each.AttributeType]));
  return schema.map(({ AttributeName: name, KeyType: kind }) => ({ name, kind, type: types[name] }));
}

/** Whether a query's items may lack attributes: those of an index that has not all, or of a projection. */
export function isPartial(table, query) {
  if (query.fields.trim()) return true;
  if (!query.index) return false;
  return allIndexes(table).find((each) => each.IndexName === query.index)?.Projection.ProjectionType !== "ALL";
}

export class QueryFault extends Error {}

/** The steps of a path: `info.tags[0]`; a name with dots or brackets stands in double quotes. */
export function stepsOf(path) {
  const steps = [];
  const pattern = /\s*(?:"((?:[^"]|"")+)"|([^.[\]"]+)|\[(\d+)\])\s*(\.?)/y;
  let at = 0;
  let wantsName = true;
  while (at < path.length) {
    pattern.lastIndex = at;
    const found = pattern.exec(path);
    if (!found) throw new QueryFault(`${path}: not a path such as info.tags[0] or "a.b"`);
    const [whole, quoted, plain, index, dot] = found;
    if (index !== undefined) {
      if (!steps.length) throw new QueryFault(`${path}: a path begins with a name`);
      steps.push({ index });
    } else {
      if (!wantsName) throw new QueryFault(`${path}: a dot is missing`);
      steps.push({ name: quoted?.replaceAll('""', '"') ?? plain.trim() });
    }
    wantsName = Boolean(dot);
    at += whole.length;
  }
  if (!steps.length || wantsName) throw new QueryFault(`${path || "A filter"}: the name of an attribute is missing`);
  return steps;
}

/** Collects names and values of expressions. */
export class Expressions {
  names = {};
  values = {};

  name(name) {
    const found = Object.entries(this.names).find(([, each]) => each === name);
    if (found) return found[0];
    const key = `#n${Object.keys(this.names).length}`;
    this.names[key] = name;
    return key;
  }

  path(path) {
    return stepsOf(path).map((step, at) => (step.index !== undefined ? `[${step.index}]` : (at ? "." : "") + this.name(step.name))).join("");
  }

  value(value) {
    const key = `:v${Object.keys(this.values).length}`;
    this.values[key] = value;
    return key;
  }

  get members() {
    return {
      ...(Object.keys(this.names).length ? { ExpressionAttributeNames: this.names } : {}),
      ...(Object.keys(this.values).length ? { ExpressionAttributeValues: this.values } : {}),
    };
  }
}

/** The attribute value of a text of a field. Throws QueryFault. */
export function valueOfText(type, text, what) {
  switch (type) {
    case "N":
      if (numberFault(text.trim())) throw new QueryFault(`${what}: ${numberFault(text.trim())}`);
      return { N: text.trim() };
    case "BOOL":
      if (!["true", "false"].includes(text.trim())) throw new QueryFault(`${what}: true or false`);
      return { BOOL: text.trim() === "true" };
    case "NULL": return { NULL: true };
    case "B": return { B: text.trim() };
    case "JSON":
      try {
        return JSON.parse(text);
      } catch {
        throw new QueryFault(`${what}: not DynamoDB JSON such as {"SS": ["a"]}`);
      }
    default: return { S: text };
  }
}

const compared = (expressions, left, op, type, a, b, what) => {
  const value = (text) => expressions.value(valueOfText(type, text, what));
  switch (op) {
    case "between": return `${left} BETWEEN ${value(a)} AND ${value(b)}`;
    case "begins_with": return `begins_with(${left}, ${value(a)})`;
    case "contains": return `contains(${left}, ${value(a)})`;
    case "not contains": return `NOT contains(${left}, ${value(a)})`;
    case "in": return `${left} IN (${a.split(",").map((each) => value(each.trim())).join(", ")})`;
    case "exists": return `attribute_exists(${left})`;
    case "not exists": return `attribute_not_exists(${left})`;
    case "type": return `attribute_type(${left}, ${expressions.value({ S: a.trim() })})`;
    default:
      if (op.startsWith("size ")) return `size(${left}) ${op.slice(5)} ${expressions.value(valueOfText("N", a, what))}`;
      return `${left} ${op} ${value(a)}`;
  }
};

/** The request of a query: `{ operation, request }`. Throws QueryFault with what is missing. */
export function requestOf(table, query) {
  const expressions = new Expressions();
  const request = { TableName: table.TableName };
  if (query.index) request.IndexName = query.index;
  const keys = keysOf(table, query.index);
  if (query.mode === "query") request.KeyConditionExpression = keyCondition(expressions, keys, query);
  const filters = query.filters.filter((each) => each.path.trim()).map(({ path, op, type, a, b }) => compared(expressions, expressions.path(path), op, type, a, b, path));
  if (filters.length) request.FilterExpression = filters.join(query.any ? " OR " : " AND ");
  if (query.fields.trim()) {
    const schema = [...new Set([...table.KeySchema.map((each) => each.AttributeName)])];
    const listed = query.fields.split(",").map((each) => each.trim()).filter(Boolean);
    const paths = [...schema.filter((name) => !listed.includes(name)).map((name) => expressions.name(name)), ...listed.map((each) => expressions.path(each))];
    request.ProjectionExpression = paths.join(", ");
  }
  Object.assign(request, expressions.members);
  if (query.mode === "query" && query.order === "desc") request.ScanIndexForward = false;
  if (query.consistent) request.ConsistentRead = true;
  const limit = Number.parseInt(query.limit, 10);
  if (!(limit > 0)) throw new QueryFault("The page size is a number from 1 on");
  return { operation: query.mode === "query" ? "Query" : "Scan", request: { ...request, Limit: limit } };
}

function keyCondition(expressions, keys, query) {
  const hash = keys.filter((each) => each.kind === "HASH");
  const range = keys.filter((each) => each.kind === "RANGE");
  const parts = hash.map(({ name, type }, at) => {
    if (!query.pk[at]) throw new QueryFault(`Enter a value of ${name}, the partition key`);
    return compared(expressions, expressions.name(name), "=", type, query.pk[at], "", name);
  });
  for (const [at, { name, type }] of range.entries()) {
    const { op = "", a = "", b = "" } = query.sk[at] ?? {};
    if (!op) break;
    parts.push(compared(expressions, expressions.name(name), op, type, a, b, name));
    if (op !== "=") break;
  }
  return parts.join(" AND ");
}

/** The request as a person reads it: names and values in their places. */
export function expressionText(text, request) {
  if (!text) return "";
  return text.replace(/#n\d+|:v\d+/g, (key) => (key[0] === "#" ? request.ExpressionAttributeNames[key] : shortValue(request.ExpressionAttributeValues[key])));
}

function shortValue(value) {
  const [type] = Object.keys(value);
  if (type === "S") return JSON.stringify(value.S.length > 60 ? `${value.S.slice(0, 60)}…` : value.S);
  return ["N", "BOOL"].includes(type) ? String(value[type]) : JSON.stringify(value);
}

/** How many partitions a table or index has at least, which serve 3000 reads and 1000 writes a second each. */
const partitionsOf = (warm) => Math.max(1, Math.ceil((warm?.ReadUnitsPerSecond ?? 0) / 3000), Math.ceil((warm?.WriteUnitsPerSecond ?? 0) / 1000));

/** What a request will cost, before it runs: units of one page, and of a whole scan, which pays for each partition if tables have them. */
export function estimate(table, query, isPartitioned) {
  const source = query.index ? allIndexes(table).find((each) => each.IndexName === query.index) : table;
  const items = source?.ItemCount ?? 0;
  const size = (query.index ? source?.IndexSizeBytes : table.TableSizeBytes) ?? 0;
  const per = query.consistent ? 1 : 0.5;
  const partitions = isPartitioned ? partitionsOf(source?.WarmThroughput ?? table.WarmThroughput) : 1;
  const units = (bytes) => Math.ceil(Math.max(bytes / 4096, (partitions * bytes) / (size || 1), 1)) * per;
  const mean = items ? size / items : 0;
  const limit = Math.min(Number.parseInt(query.limit, 10) || 1, items || 1);
  const page = units(Math.min(mean * limit, 1024 ** 2));
  return { page, whole: units(size), items };
}

/** The query in an address, and back. */
export function queryText(query) {
  const defaults = emptyQuery();
  const changed = Object.entries(query).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(defaults[name]));
  return changed.length ? JSON.stringify(Object.fromEntries(changed)) : "";
}

export function queryOfText(text) {
  try {
    return { ...emptyQuery(), ...JSON.parse(text || "{}") };
  } catch {
    return emptyQuery();
  }
}
