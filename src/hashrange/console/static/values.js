// Attribute values in DynamoDB JSON: their types, sizes, texts and faults. Numbers stay texts.
import { Digits, parse, visible, write } from "./json.js";

export const TYPES = {
  S: "String", N: "Number", B: "Binary", BOOL: "Boolean", NULL: "Null",
  M: "Map", L: "List", SS: "String set", NS: "Number set", BS: "Binary set",
};
export const ITEM_BYTES_MAX = 400 * 1024;
const KEY_BYTES_MAX = { HASH: 2048, RANGE: 1024 };
const DEPTH_MAX = 32;
const DIGITS_MAX = 38;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const utf8 = new TextEncoder();

/** The value of an attribute; items have names as `constructor`, which all objects know. */
export const own = (item, name) => (Object.hasOwn(item, name) ? item[name] : undefined);
export const typeOf = (value) => Object.keys(value)[0];
export const contentOf = (value) => value[typeOf(value)];
export const isScalar = (value) => ["S", "N", "B", "BOOL", "NULL"].includes(typeOf(value));
export const bytesOfText = (text) => utf8.encode(text).length;

/** Why a text is not a number of DynamoDB; null if it is one. */
export function numberFault(text) {
  if (!NUMBER.test(text)) return "not a number";
  const [mantissa, exponent = "0"] = text.toLowerCase().replace(/^[+-]/, "").split("e");
  const [whole, fraction = ""] = mantissa.split(".");
  const digits = (whole + fraction).replace(/^0+/, "");
  if (!digits) return null;
  const significant = digits.replace(/0+$/, "");
  if (significant.length > DIGITS_MAX) return `${significant.length} digits: a number has at most ${DIGITS_MAX}`;
  const magnitude = digits.length - fraction.length + Number(exponent);
  if (magnitude > 126) return "larger than 9.99…E+125";
  return magnitude < -129 ? "smaller than 1E-130" : null;
}

/** Digits and exponent without signs of how they were written, to compare numbers. */
export function canonicalNumber(text) {
  const negative = text.startsWith("-") ? "-" : "";
  const [mantissa, exponent = "0"] = text.toLowerCase().replace(/^[+-]/, "").split("e");
  const [whole, fraction = ""] = mantissa.split(".");
  const digits = (whole + fraction).replace(/^0+/, "");
  if (!digits) return "0";
  const trimmed = digits.replace(/0+$/, "");
  const power = Number(exponent) - fraction.length + (digits.length - trimmed.length);
  return `${negative}${trimmed}e${power}`;
}

/** Whether a DynamoDB number equals another, whatever their zeros. */
export function equal(one, other) {
  if (one === undefined || other === undefined) return one === other;
  const type = typeOf(one);
  if (type !== typeOf(other)) return false;
  const [a, b] = [one[type], other[type]];
  if (type === "N") return canonicalNumber(a) === canonicalNumber(b);
  if (type === "M") {
    const names = Object.keys(a);
    return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && equal(a[name], b[name]));
  }
  if (type === "L") return a.length === b.length && a.every((each, index) => equal(each, b[index]));
  if (["SS", "BS", "NS"].includes(type)) {
    const normal = (list) => list.map((each) => (type === "NS" ? canonicalNumber(each) : each)).sort().join("\u0000");
    return a.length === b.length && normal(a) === normal(b);
  }
  return a === b;
}

export const equalItems = (a, b) => equal({ M: a }, { M: b });

function bytesOfNumber(text) {
  const digits = canonicalNumber(text).replace(/^-|e.*$/g, "");
  return Math.ceil(digits.length / 2) + 1 + (text.startsWith("-") ? 1 : 0);
}

const bytesOfBinary = (text) => Math.floor((text.length * 3) / 4) - (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0);

/** The size of a value as DynamoDB counts it; numbers nearly. */
export function bytesOf(value) {
  const type = typeOf(value);
  const content = value[type];
  switch (type) {
    case "S": return bytesOfText(content);
    case "N": return bytesOfNumber(content);
    case "B": return bytesOfBinary(content);
    case "SS": return content.reduce((sum, each) => sum + bytesOfText(each), 0);
    case "NS": return content.reduce((sum, each) => sum + bytesOfNumber(each), 0);
    case "BS": return content.reduce((sum, each) => sum + bytesOfBinary(each), 0);
    case "L": return content.reduce((sum, each) => sum + bytesOf(each) + 1, 3);
    case "M": return Object.entries(content).reduce((sum, [name, each]) => sum + bytesOfText(name) + bytesOf(each) + 1, 3);
    default: return 1;
  }
}

export const bytesOfItem = (item) => Object.entries(item).reduce((sum, [name, value]) => sum + bytesOfText(name) + bytesOf(value), 0);

/** The faults of a value, each with its path. */
export function* faultsOf(value, path, depth = 0) {
  const types = value !== null && typeof value === "object" && !Array.isArray(value) ? Object.keys(value) : [];
  if (types.length !== 1 || !Object.hasOwn(TYPES, types[0])) {
    yield `${path}: a value has exactly one type, as {"S": "text"} or {"N": "1"}`;
    return;
  }
  const [type] = types;
  const content = value[type];
  if (depth > DEPTH_MAX) yield `${path}: nested more than ${DEPTH_MAX} levels deep`;
  else if (type === "S" && typeof content !== "string") yield `${path}: S is a text`;
  else if (type === "N") yield* numberFaults(content, path);
  else if (type === "B" && !(typeof content === "string" && BASE64.test(content))) yield `${path}: B is base64`;
  else if (type === "BOOL" && typeof content !== "boolean") yield `${path}: BOOL is true or false`;
  else if (type === "NULL" && content !== true) yield `${path}: NULL is true`;
  else if (type === "L") yield* listFaults(content, path, depth);
  else if (type === "M") yield* mapFaults(content, path, depth);
  else if (type.endsWith("S") && type.length === 2) yield* setFaults(type, content, path);
}

function* numberFaults(content, path) {
  if (typeof content !== "string") yield `${path}: N is a text with a number, as "12.5"`;
  else if (numberFault(content)) yield `${path}: ${numberFault(content)}`;
}

function* listFaults(content, path, depth) {
  if (!Array.isArray(content)) yield `${path}: L is a list`;
  else for (const [index, each] of content.entries()) yield* faultsOf(each, `${path}[${index}]`, depth + 1);
}

function* mapFaults(content, path, depth) {
  if (content === null || typeof content !== "object" || Array.isArray(content)) yield `${path}: M is an object`;
  else for (const [name, each] of Object.entries(content)) yield* faultsOf(each, `${path}.${name}`, depth + 1);
}

function* setFaults(type, content, path) {
  if (!Array.isArray(content) || content.some((each) => typeof each !== "string")) yield `${path}: ${type} is a list of texts`;
  else if (!content.length) yield `${path}: a set has at least one element`;
  else {
    const normal = content.map((each) => (type === "NS" && !numberFault(each) ? canonicalNumber(each) : each));
    if (new Set(normal).size < content.length) yield `${path}: an element of a set is there twice`;
    for (const each of content) {
      if (type === "NS" && numberFault(each)) yield `${path}: ${each}: ${numberFault(each)}`;
      if (type === "BS" && !BASE64.test(each)) yield `${path}: BS has base64`;
    }
  }
}

/** All faults of an item for a table: types, keys, size. */
export function faultsOfItem(item, table) {
  const found = [];
  for (const [name, value] of Object.entries(item)) {
    found.push(...faultsOf(value, name));
    if (!name) found.push("an attribute without a name");
  }
  if (found.length) return found;
  const types = Object.fromEntries(table.AttributeDefinitions.map((each) => [each.AttributeName, each.AttributeType]));
  for (const { AttributeName: name, KeyType: kind } of table.KeySchema) {
    if (!Object.hasOwn(item, name)) found.push(`${name}: the ${kind === "HASH" ? "partition" : "sort"} key is missing`);
    else found.push(...keyFaults(name, item[name], types[name], kind));
  }
  for (const index of [...(table.GlobalSecondaryIndexes ?? []), ...(table.LocalSecondaryIndexes ?? [])]) {
    for (const { AttributeName: name, KeyType: kind } of index.KeySchema) {
      if (Object.hasOwn(item, name)) found.push(...keyFaults(name, item[name], types[name], kind).map((text) => `${text} (key of the index ${index.IndexName})`));
    }
  }
  const bytes = bytesOfItem(item);
  if (bytes > ITEM_BYTES_MAX) found.push(`the item has ${bytes} bytes; DynamoDB allows ${ITEM_BYTES_MAX}`);
  return [...new Set(found)];
}

function keyFaults(name, value, type, kind) {
  if (typeOf(value) !== type) return [`${name}: a key of type ${type}, not ${typeOf(value)}`];
  if (type !== "N" && contentOf(value) === "") return [`${name}: a key cannot be empty`];
  const bytes = bytesOf(value);
  return bytes > KEY_BYTES_MAX[kind] ? [`${name}: ${bytes} bytes; a key of this kind has at most ${KEY_BYTES_MAX[kind]}`] : [];
}

/** A value in one short line. */
export function preview(value, chars = 120) {
  const type = typeOf(value);
  const content = value[type];
  let text;
  if (type === "M") text = `{ ${Object.keys(content).slice(0, 12).join(", ")}${Object.keys(content).length > 12 ? ", …" : ""} }`;
  else if (type === "L") text = `[ ${content.length} ]${content.length && isScalar(content[0]) ? ` ${content.slice(0, 6).map((each) => preview(each, 20)).join(", ")}` : ""}`;
  else if (Array.isArray(content)) text = `{${content.slice(0, 12).join(", ")}${content.length > 12 ? ", …" : ""}}`;
  else if (type === "NULL") text = "null";
  else if (type === "B") text = `${bytesOf(value)} B  ${content.slice(0, chars)}`;
  else text = String(content);
  const cut = text.length > chars ? `${text.slice(0, chars)}…` : text;
  return visible(cut);
}

/** Whether a number may be a time: the text of that time in this browser's zone, or null. */
export function timeHint(value) {
  if (!value || typeOf(value) !== "N" || !/^\d{10}(\d{3})?$/.test(value.N)) return null;
  const ms = value.N.length === 10 ? Number(value.N) * 1000 : Number(value.N);
  return ms > 946684800000 && ms < 4102444800000 ? new Date(ms) : null;
}

/** A value as `json.js` has it, in plain JSON: sets are lists, binary is base64. */
export function plainOf(value) {
  const type = typeOf(value);
  const content = value[type];
  if (type === "M") return plainOfItem(content);
  if (type === "L") return content.map(plainOf);
  if (type === "N") return new Digits(content);
  if (type === "NS") return content.map((each) => new Digits(each));
  return type === "NULL" ? null : content;
}

export function plainOfItem(item) {
  const found = Object.create(null);
  for (const [name, value] of Object.entries(item)) found[name] = plainOf(value);
  return found;
}

/** The value of plain JSON; types that it cannot have are those of `like`, the value before. */
export function valueOf(plain, like) {
  const type = like && typeOf(like);
  if (plain instanceof Digits) return { N: plain.text };
  if (plain === null) return { NULL: true };
  if (typeof plain === "boolean") return { BOOL: plain };
  if (typeof plain === "string") return type === "B" && BASE64.test(plain) ? { B: plain } : { S: plain };
  if (Array.isArray(plain)) {
    if (plain.length && type === "NS" && plain.every((each) => each instanceof Digits)) return { NS: plain.map((each) => each.text) };
    if (plain.length && ["SS", "BS"].includes(type) && plain.every((each) => typeof each === "string")) return { [type]: plain };
    return { L: plain.map((each, index) => valueOf(each, type === "L" ? like.L[index] : undefined)) };
  }
  return { M: itemOfPlain(plain, type === "M" ? like.M : {}) };
}

export function itemOfPlain(plain, like = {}) {
  const found = {};
  for (const name of Object.keys(plain)) set(found, name, valueOf(plain[name], Object.hasOwn(like, name) ? like[name] : undefined));
  return found;
}

/** The item of DynamoDB JSON as `json.js` reads it: numbers outside of texts become texts of N. */
export function itemOfDynamo(read) {
  if (read === null || typeof read !== "object" || Array.isArray(read) || read instanceof Digits) throw new Error("an item is an object");
  const plain = (value) => {
    if (value instanceof Digits) return value.text;
    if (Array.isArray(value)) return value.map(plain);
    if (value === null || typeof value !== "object") return value;
    const found = {};
    for (const name of Object.keys(value)) set(found, name, plain(value[name]));
    return found;
  };
  return plain(read);
}

function set(object, name, value) {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

export const dynamoText = (item, indent = 2) => write(item, indent);
export const plainText = (item, indent = 2) => write(plainOfItem(item), indent);
export const parseItem = (text, form, like) => (form === "plain" ? itemOfPlain(objectOf(parse(text)), like) : itemOfDynamo(parse(text)));

function objectOf(read) {
  if (read === null || typeof read !== "object" || Array.isArray(read) || read instanceof Digits) throw new Error("an item is an object");
  return read;
}

/** Rows in the order of a value of each: numbers by magnitude, all else as text, first by type; none comes last. */
export function sortedBy(rows, valueOfRow, down) {
  const keyed = rows.map((row) => {
    const value = valueOfRow(row);
    const type = value === undefined ? "~" : typeOf(value);
    return { row, type, key: type === "N" ? Number(value.N) : value && preview(value, 400) };
  });
  const compare = (a, b) => (a.type === b.type ? Number(a.key > b.key) - Number(a.key < b.key) : a.type < b.type ? -1 : 1);
  return keyed.sort((a, b) => (down ? compare(b, a) : compare(a, b))).map(({ row }) => row);
}

export const keyOf = (item, schema) => Object.fromEntries(schema.map(({ AttributeName: name }) => [name, own(item, name)]));
export const keyId = (item, schema) => schema.map(({ AttributeName: name }) => (item[name] ? write(item[name]) : "")).join("|");
export const keyText = (item, schema) => schema.map(({ AttributeName: name }) => (item[name] ? preview(item[name], 40) : "?")).join(" / ");
