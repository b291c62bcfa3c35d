// JSON without JavaScript's numbers: each number keeps its digits, and faults have their line.
// And texts of which no character stays unseen.

/** A number as it is written. */
export class Digits {
  constructor(text) {
    this.text = text;
  }
}

export class JsonFault extends Error {
  constructor(message, text, at) {
    const line = text.slice(0, at).split("\n").length;
    super(`${message} (line ${line})`);
    Object.assign(this, { at, line });
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SPACE = /[ \t\r\n]*/y;
const WORDS = { true: true, false: false, null: null };
const DEPTH_MAX = 64;
const SHORT = 60;

/** The value of a text; objects are Maps-free plain objects without a prototype. */
export function parse(text) {
  let at = 0;
  const fail = (message) => {
    throw new JsonFault(message, text, at);
  };
  const match = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at += found[0].length;
    return found?.[0];
  };
  const space = () => match(SPACE);
  const string = () => {
    const found = match(STRING);
    if (found === undefined) fail(text[at] === '"' ? "a text that does not end, or has a control character" : "a name in double quotes is missing");
    return JSON.parse(found);
  };
  const value = (depth) => {
    if (depth > DEPTH_MAX) fail("nested too deeply");
    space();
    const first = text[at];
    if (first === '"') return string();
    if (first === "{") return object(depth);
    if (first === "[") return list(depth);
    for (const [word, meaning] of Object.entries(WORDS)) {
      if (text.startsWith(word, at)) {
        at += word.length;
        return meaning;
      }
    }
    const digits = match(NUMBER);
    if (digits === undefined) fail(at < text.length ? `unexpected ${JSON.stringify(first)}` : "unexpected end");
    return new Digits(digits);
  };
  const object = (depth) => {
    const found = Object.create(null);
    at += 1;
    space();
    if (text[at] === "}") at += 1;
    else {
      for (;;) {
        space();
        const start = at;
        const name = string();
        if (name in found) {
          at = start;
          fail(`${JSON.stringify(name)} is there twice`);
        }
        space();
        if (text[at] !== ":") fail("a colon is missing");
        at += 1;
        found[name] = value(depth + 1);
        space();
        if (text[at] === "}") break;
        if (text[at] !== ",") fail("a comma or a closing brace is missing");
        at += 1;
      }
      at += 1;
    }
    return found;
  };
  const list = (depth) => {
    const found = [];
    at += 1;
    space();
    if (text[at] === "]") at += 1;
    else {
      for (;;) {
        found.push(value(depth + 1));
        space();
        if (text[at] === "]") break;
        if (text[at] !== ",") fail("a comma or a closing bracket is missing");
        at += 1;
      }
      at += 1;
    }
    return found;
  };
  const found = value(0);
  space();
  if (at < text.length) fail("more text after the end");
  return found;
}

/** The text of a value of `parse`; indented if `indent` is set, with short parts in one line. */
export function write(value, indent = 0, level = 0) {
  if (value instanceof Digits) return value.text;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((each) => write(each, indent, level + 1))
    : Object.keys(value).map((name) => `${JSON.stringify(name)}:${indent ? " " : ""}${write(value[name], indent, level + 1)}`);
  const [open, close] = isList ? "[]" : "{}";
  if (!parts.length) return open + close;
  if (!indent) return open + parts.join(",") + close;
  const short = isList ? `[${parts.join(", ")}]` : `{ ${parts.join(", ")} }`;
  if (level > 0 && short.length <= SHORT && !short.includes("\n")) return short;
  const pad = " ".repeat(indent * (level + 1));
  return `${open}\n${parts.map((part) => pad + part).join(",\n")}\n${" ".repeat(indent * level)}${close}`;
}

const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** A text with its control characters made visible, so that none changes how the rest is shown. */
export const visible = (text) => text.replace(CONTROLS, (each) => {
  const code = each.charCodeAt(0);
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : `\u27e8${code.toString(16).padStart(4, "0")}\u27e9`;
});
