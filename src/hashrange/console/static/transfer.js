// Items to files and from files: CSV, JSON lines, and DynamoDB JSON.
import { html, useMemo, useRef, useState } from "./vendor/ui.js";
import { attend, call } from "./api.js";
import { Button, count, Dialog, download, ErrorBox, plural, Select, toast, Check } from "./parts.js";
import { pages, putOf, writeAll } from "./bulk.js";
import { Digits, parse, visible, write } from "./json.js";
import { columnsOf } from "./grid.js";
import { faultsOfItem, isScalar, itemOfDynamo, itemOfPlain, keyText, numberFault, own, plainOf, plainOfItem, preview, typeOf } from "./values.js";

export const FORMATS = [["dynamo", "DynamoDB JSON, one item a line"], ["lines", "JSON lines"], ["csv", "CSV"]];
const ENDINGS = { dynamo: "json", lines: "jsonl", csv: "csv" };
const PREVIEW = 20;
const FAULTS = 30;
const AT_ONCE = 4;

/* To text */

const inQuotes = (text) => `"${text.replaceAll('"', '""')}"`;
const csvCell = (text) => (/[",\r\n]|^\s|\s$/.test(text) ? inQuotes(text) : text);

/** Spreadsheets run a text that begins so as a formula. */
const isFormula = (text) => /^[=+\-@\t\r]/.test(text);
const inert = (text) => (isFormula(text) ? `'${text}` : text);

/** Whether a spreadsheet would run a text of an item. */
const hasFormula = (item) => Object.entries(item).some(([name, value]) => isFormula(name) || isFormula(value.S ?? value.B ?? ""));

/** A cell. A text that would be read as something else is quoted, which an import heeds. */
function csvValue(value, text) {
  if (!value) return "";
  const type = typeOf(value);
  if (type === "S" && valueOfCell({ text: value.S, quoted: false })?.S === undefined) return inQuotes(text(value.S));
  return csvCell(type === "S" || type === "B" ? text(value[type]) : isScalar(value) && type !== "NULL" ? String(value[type]) : write(plainOf(value)));
}

/** Items in a format. CSV has a column for each attribute, and nested values in JSON; for `sheets` no formulas. */
export function textOf(items, format, keys, { sheets = false } = {}) {
  if (format === "dynamo") return items.map((item) => `${write({ Item: item })}\n`).join("");
  if (format === "lines") return items.map((item) => `${write(plainOfItem(item))}\n`).join("");
  const names = columnsOf(items, keys);
  const text = sheets ? inert : (each) => each;
  return [names.map((name) => csvCell(text(name))), ...items.map((item) => names.map((name) => csvValue(own(item, name), text)))].map((row) => `${row.join(",")}\r\n`).join("");
}

/* From text */

/** The rows of a CSV text: `{ line, cells }`. */
export function csvRows(text) {
  const rows = [];
  let cells = [];
  let cell = "";
  let quoted = false;
  let wasQuoted = false;
  let line = 1;
  let first = 1;
  const endCell = () => {
    cells.push({ text: cell, quoted: wasQuoted });
    cell = "";
    wasQuoted = false;
  };
  const endRow = () => {
    endCell();
    if (cells.length > 1 || cells[0].text || cells[0].quoted) rows.push({ line: first, cells });
    cells = [];
    first = line;
  };
  for (let at = 0; at < text.length; at += 1) {
    const each = text[at];
    if (each === "\n") line += 1;
    if (quoted) {
      if (each !== '"') cell += each;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else quoted = false;
    } else if (each === '"' && !cell) {
      quoted = true;
      wasQuoted = true;
    } else if (each === ",") endCell();
    else if (each === "\n") endRow();
    else if (each !== "\r") cell += each;
  }
  if (quoted) throw new Error(`line ${first}: a quote does not end`);
  if (cell || cells.length) endRow();
  return rows;
}

const formatOf = (text) => (/^\s*[[{]/.test(text) ? "json" : "csv");

/** The value of a cell: of the type of a key, or guessed from its text. */
function valueOfCell({ text, quoted }, type) {
  if (type) return { [type]: text };
  if (text === "" && !quoted) return null;
  if (!quoted && !numberFault(text) && !/^[+]|^-?0\d/.test(text)) return { N: text };
  if (!quoted && /^(true|false)$/.test(text)) return { BOOL: text === "true" };
  if (/^[[{]/.test(text)) {
    try {
      return itemOfPlain({ value: parse(text) }).value;
    } catch {
      return { S: text };
    }
  }
  return { S: text };
}

function fromCsv(text, table) {
  const types = Object.fromEntries(table.AttributeDefinitions.map((each) => [each.AttributeName, each.AttributeType]));
  const [head, ...rows] = csvRows(text.replace(/^\ufeff/, ""));
  return rows.map(({ line, cells }) => {
    if (cells.length !== head.cells.length) return { line: `line ${line}`, faults: [`${cells.length} cells, and ${head.cells.length} columns`] };
    const pairs = cells.map((cell, at) => [head.cells[at].text, valueOfCell(cell, types[head.cells[at].text])]).filter(([, value]) => value);
    return { line: `line ${line}`, item: Object.fromEntries(pairs) };
  });
}

const isDynamo = (read) => {
  const values = Object.values(read);
  return values.length > 0 && values.every((each) => each !== null && typeof each === "object" && !Array.isArray(each) && Object.keys(each).length === 1 && /^(S|N|B|BOOL|NULL|M|L|SS|NS|BS)$/.test(Object.keys(each)[0]));
};

function itemOfRead(read) {
  const inner = Object.keys(read ?? {}).length === 1 && read.Item ? read.Item : read;
  if (inner === null || typeof inner !== "object" || Array.isArray(inner) || inner instanceof Digits) throw new Error("an item is an object");
  return isDynamo(inner) ? itemOfDynamo(inner) : itemOfPlain(inner);
}

function fromJson(text) {
  if (/^\s*\[/.test(text)) return parse(text).map((each, at) => readRow(`item ${at + 1}`, () => itemOfRead(each)));
  try {
    const whole = parse(text);
    return (Array.isArray(whole.Items) ? whole.Items : [whole]).map((each, at) => readRow(`item ${at + 1}`, () => itemOfRead(each)));
  } catch {
    return text.split("\n").map((line, at) => ({ line, at: at + 1 })).filter(({ line }) => line.trim()).map(({ line, at }) => readRow(`line ${at}`, () => itemOfRead(parse(line))));
  }
}

function readRow(line, read) {
  try {
    return { line, item: read() };
  } catch (error) {
    return { line, faults: [error.message.replace(/ \(line 1\)$/, "")] };
  }
}

/** The rows of a text: `{ line, item, faults }`, of which `line` says where an item is; each item is checked for the table. */
export function rowsOf(text, table) {
  const rows = formatOf(text) === "csv" ? fromCsv(text, table) : fromJson(text);
  return rows.map((row) => (row.item ? { ...row, faults: faultsOfItem(row.item, table) } : row));
}

/* Dialogs */

export function Export({ table, result, items, onClose }) {
  const [format, choose] = useState("dynamo");
  const [what, take] = useState(items.length ? "chosen" : "shown");
  const [sheets, protect] = useState(false);
  const [state, set] = useState({});
  const abort = useRef(null);
  const choices = [items.length && ["chosen", plural(items.length, "selected item")], ["shown", `${plural(result?.items.length ?? 0, "item")} that were read`], ["all", "all items of this query: reads to the end"]].filter(Boolean);
  const save = (list) => {
    download(`${table.TableName}.${ENDINGS[format]}`, textOf(list, format, table.KeySchema.map((each) => each.AttributeName), { sheets }), format === "csv" ? "text/csv" : "application/json");
    toast(`${plural(list.length, "item")} exported`);
    onClose();
  };
  const act = async () => {
    if (what !== "all") return save(what === "chosen" ? items : result.items);
    abort.current = new AbortController();
    try {
      const { Limit: _, ...request } = result.request;
      const found = [];
      let units = 0;
      for await (const page of pages(result.operation, request, abort.current.signal)) {
        found.push(...page.Items);
        units += page.ConsumedCapacity?.CapacityUnits ?? 0;
        set({ at: `${count(found.length)} items, ${count(units)} read units …` });
      }
      return abort.current.signal.aborted ? set({}) : save(found);
    } catch (error) {
      return set({ error });
    }
  };
  return html`<${Dialog} title="Export" onClose=${() => { abort.current?.abort(); onClose(); }} actions=${html`<${Button} onClick=${() => (state.at ? abort.current.abort() : onClose())}>${state.at ? "Stop" : "Cancel"}<//><${Button} kind="primary" disabled=${Boolean(state.at)} onClick=${act}>Export<//>`}>
    <${Select} label="Items" options=${choices} value=${what} onValue=${take} />
    <${Select} label="Format" options=${FORMATS} value=${format} onValue=${choose} hint=${{ csv: "CSV has no types: sets become lists, and binary values texts.", lines: "Plain JSON has no sets and no binary.", dynamo: "Keeps all types. It can be imported here, and by hashrange load." }[format]} />
    ${format === "csv" && html`<${Check} label="For a spreadsheet: no formulas" value=${sheets} onValue=${protect} hint="Texts that begin with = + - @ get an apostrophe in front. Without it a spreadsheet may run them; with it an import has other texts." />`}
    ${format === "csv" && !sheets && [...items, ...(result?.items ?? [])].some(hasFormula) && html`<p class="fault" role="status">Some of these texts begin as formulas do. Do not open the file in a spreadsheet unless you trust who wrote them.</p>`}
    ${state.at && html`<p class="loading" role="status">${state.at}</p>`}<${ErrorBox} error=${state.error} />
  <//>`;
}

async function insertNew(table, items, say, abort) {
  const names = { "#k": table.KeySchema[0].AttributeName };
  const waiting = items.values();
  const there = [];
  let done = 0;
  const work = async () => {
    for (const item of waiting) {
      if (abort.aborted) return;
      attend();
      try {
        await call("PutItem", { TableName: table.TableName, Item: item, ConditionExpression: "attribute_not_exists(#k)", ExpressionAttributeNames: names });
        done += 1;
      } catch (error) {
        if (error.type !== "ConditionalCheckFailedException") throw error;
        there.push(item);
      }
      say(done);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { done, there };
}

export function Import({ table, onClose, onDone }) {
  const [text, type] = useState("");
  const [over, allow] = useState(false);
  const [state, set] = useState({});
  const abort = useRef(new AbortController());
  const { rows, fault } = useMemo(() => {
    try {
      return { rows: text.trim() ? rowsOf(text, table) : [] };
    } catch (error) {
      return { rows: [], fault: error.message };
    }
  }, [text]);
  const good = rows.filter((row) => !row.faults.length);
  const bad = rows.filter((row) => row.faults.length);
  const pick = async (event) => type(await event.target.files[0].text());
  const act = async () => {
    const items = good.map((row) => row.item);
    const say = (done) => set({ at: `${count(done)} of ${count(items.length)} written …` });
    try {
      say(0);
      if (over) {
        const done = await writeAll(table.TableName, lastOfEach(items, table).map(putOf), say, abort.current.signal);
        toast(`${plural(done, "item")} imported`);
      } else {
        const { done, there } = await insertNew(table, items, say, abort.current.signal);
        toast(`${plural(done, "item")} imported${there.length ? `; ${there.length} were there already and stay as they are` : ""}`, { kind: there.length ? "warn" : "", seconds: there.length ? 15 : 5 });
      }
      onDone();
    } catch (error) {
      set({ error });
    }
  };
  return html`<${Dialog} title=${`Import into ${table.TableName}`} wide onClose=${() => { abort.current.abort(); onClose(); }} actions=${html`<${Button} onClick=${() => { abort.current.abort(); onClose(); }}>Cancel<//><${Button} kind="primary" disabled=${!good.length || Boolean(state.at)} onClick=${act}>Import ${plural(good.length, "item")}<//>`}>
    <p>CSV with a line of names, JSON lines, a JSON list, DynamoDB JSON, or what <code>aws dynamodb scan</code> prints.</p>
    <div class="row"><label class="button">Choose a file <input class="hidden" type="file" aria-label="File" accept=".csv,.json,.jsonl,.ndjson,.txt" onChange=${pick} /></label></div>
    <textarea class="mono" rows="6" aria-label="Items" placeholder="… or paste here" value=${text.length > 200_000 ? `${text.slice(0, 200_000)}\n…` : text} readonly=${text.length > 200_000} onInput=${(event) => type(event.target.value)} spellcheck=${false}></textarea>
    <${Check} label="Overwrite items that are there" value=${over} onValue=${allow} hint=${over ? "Items with the same keys are replaced, and are lost." : "Items with the same keys stay as they are, and are counted."} />
    ${fault && html`<p class="fault" role="alert">${fault}</p>`}
    ${bad.length > 0 && html`<div role="alert"><p class="fault">${plural(bad.length, "item")} cannot be imported:</p><ul class="faults">${bad.slice(0, FAULTS).map((row) => html`<li key=${row.line}>${row.line}: ${visible(row.faults[0])}</li>`)}</ul></div>`}
    ${good.length > 0 && html`<h3>The first items of ${count(good.length)}</h3><ul class="preview">${good.slice(0, PREVIEW).map((row) => html`<li key=${row.line}><strong class="mono">${keyText(row.item, table.KeySchema)}</strong> ${Object.entries(row.item).slice(0, 8).map(([name, value]) => html`<span key=${name}><em>${visible(name)}</em> <span class=${`type ${typeOf(value)}`}>${typeOf(value)}</span> ${preview(value, 30)}</span>`)}</li>`)}</ul>`}
    ${state.at && html`<p class="loading" role="status">${state.at}</p>`}<${ErrorBox} error=${state.error} />
  <//>`;
}

/** Of items with the same key the last one: a batch may not have two. */
const lastOfEach = (items, table) => [...new Map(items.map((item) => [keyText(item, table.KeySchema) + write(plainOfItem(Object.fromEntries(table.KeySchema.map(({ AttributeName: name }) => [name, item[name]])))), item])).values()];
