// The items of a table: query, read, edit, and write what was staged.
import { html, useEffect, useMemo, useRef, useState } from "../vendor/ui.js";
import { ApiError, call, session } from "../api.js";
import { address, Button, Check, count, Dialog, Empty, ErrorBox, Loading, Menu, plural, Tabs, toast, useLoaded, useValue } from "../parts.js";
import { Builder, remember, summaryOf } from "../builder.js";
import { changeOf, inverse, itemNow, staged, writeChanges } from "../changes.js";
import { describe } from "../definition.js";
import { columnsOf, Grid } from "../grid.js";
import { setQuery } from "../lists.js";
import { visible } from "../json.js";
import { isPartial, QueryFault, queryOfText, queryText, requestOf } from "../query.js";
import { bytesOfItem, faultsOfItem, keyId, keyText, numberFault, own, sortedBy, typeOf } from "../values.js";
import { Staged } from "../staged.js";
import { TableHead } from "./head.js";

const COLUMNS_MAX = 60;

/** Staged changes by table, which last as long as the page. */
const kept = new Map();

window.addEventListener("beforeunload", (event) => {
  if ([...kept.values()].some((each) => each.length)) event.preventDefault();
});

export default function Items({ table: name }) {
  const { value: table, error, again } = useLoaded(() => describe(name), [name]);
  return html`<${TableHead} name=${name} table=${table} page="" />
    <${ErrorBox} error=${error} again=${again} />
    ${table ? html`<${ItemsOf} table=${table} />` : !error && html`<${Loading} />`}`;
}

/** Pages of a query until one is full or the end; reports each page. */
async function readPage(table, query, start, abort, say) {
  const { operation, request } = requestOf(table, query);
  const found = { operation, request, items: [], scanned: 0, units: 0, size: 0, requests: 0, next: start };
  const began = performance.now();
  do {
    const page = await call(operation, { ...request, ReturnConsumedCapacity: "TOTAL", ...(found.next ? { ExclusiveStartKey: found.next } : {}) }, { abort });
    found.items.push(...page.Items);
    found.scanned += page.ScannedCount;
    found.units += page.ConsumedCapacity?.CapacityUnits ?? 0;
    found.size += page.Items.reduce((sum, item) => sum + bytesOfItem(item), 0);
    found.requests += 1;
    found.next = page.LastEvaluatedKey;
    say(found);
  } while (query.fill && found.next && found.items.length < request.Limit && !abort.aborted);
  return { ...found, ms: performance.now() - began };
}

function useQuery(table) {
  const { query: parameters } = useValue(address);
  const text = parameters.get("q") ?? "";
  const [query, set] = useState(() => queryOfText(text));
  const [result, show] = useState(null);
  const [state, change] = useState({});
  const abort = useRef(null);
  const left = useRef(false);
  const run = async (given = query, { more = false } = {}) => {
    if (left.current) return undefined;
    if (given !== query) set(given);
    abort.current?.abort();
    const controller = new AbortController();
    abort.current = controller;
    const to = queryText(given);
    setQuery({ q: to }, { replace: !more && to === text });
    change({ running: true, read: 0 });
    try {
      const start = more ? result.next : undefined;
      const found = await readPage(table, given, start, controller.signal, (each) => change({ running: true, read: each.scanned, matched: each.items.length }));
      const before = more ? result : { items: [], scanned: 0, units: 0, size: 0, requests: 0, ms: 0 };
      const sum = (member) => before[member] + found[member];
      show({ ...found, query: given, items: [...before.items, ...found.items], scanned: sum("scanned"), units: sum("units"), size: sum("size"), requests: sum("requests"), ms: sum("ms") });
      remember(table.TableName, given, summaryOf(table, given));
      change({});
    } catch (error) {
      if (error.name === "AbortError") return change((now) => (abort.current === controller ? {} : now));
      change(error instanceof QueryFault ? { fault: true } : { error });
    }
    return undefined;
  };
  const stop = () => abort.current?.abort();
  useEffect(() => {
    run();
    return () => {
      left.current = true;
      stop();
    };
  }, []);
  return { query, set, run, stop, result, show, ...state };
}

function ItemsOf({ table }) {
  const name = table.TableName;
  const schema = table.KeySchema;
  const readOnly = useValue(session).console === "read-only";
  const { query, set, run, stop, result, running, read, matched, fault, error } = useQuery(table);
  const [changes, setChanges] = useState(kept.get(name) ?? []);
  const [chosen, choose] = useState(new Set());
  const [dialog, open] = useState(null);
  const { query: shownBy } = useValue(address);
  const view = shownBy.get("view") ?? "grid";
  const by = shownBy.get("by");
  const down = shownBy.has("down");
  const sort = useMemo(() => by && { name: by, down }, [by, down]);
  const order = (next, isDown) => setQuery({ by: next, down: isDown && "1" }, { replace: true });
  const [hidden, hide] = useState(new Set());
  const stage = (next) => {
    kept.set(name, next);
    setChanges(next);
  };
  const add = (...list) => stage(staged(kept.get(name) ?? [], list, schema));
  const { rows, shown, marks } = useMemo(() => shownRows(result?.items ?? [], changes, schema, sort), [result, changes, sort]);
  const keys = schema.map((each) => each.AttributeName);
  const names = useMemo(() => columnsOf(shown, keys), [rows]);
  const columns = names.filter((each) => !hidden.has(each)).slice(0, COLUMNS_MAX);
  const partial = result ? isPartial(table, result.query) : false;
  useEffect(() => choose(new Set()), [result]);
  useEffect(() => {
    const press = (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.composedPath()[0].closest?.("dialog")) run();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  });
  const picked = () => [...chosen].filter((row) => rows[row]).map((row) => rows[row]);
  const openItem = async (row) => {
    const { before, item, change } = rows[row];
    if (!before || !partial) return open({ kind: "item", before, start: item, row });
    try {
      const whole = await itemNow(table, changeOf(before, undefined, schema));
      if (!whole) return toast("The item is no longer there", { kind: "warn" });
      return open({ kind: "item", before: whole, start: change?.after ? { ...whole, ...change.after } : whole });
    } catch (refusal) {
      return open({ kind: "error", error: refusal });
    }
  };
  const edited = ({ item }, attribute, text) => ({ ...item, [attribute]: retold(item[attribute], text) });
  const faultOf = (row, attribute, text) => {
    const after = edited(rows[row], attribute, text);
    if (typeof after[attribute] === "string") return after[attribute];
    return partial ? null : (faultsOfItem(after, table)[0] ?? null);
  };
  const edit = (row, attribute, text) => add(changeOf(rows[row].before, edited(rows[row], attribute, text), schema));
  const remove = (list) => {
    add(...list.map(({ before, item }) => ({ ...changeOf(before ?? item, undefined, schema), before })));
    choose(new Set());
  };
  const write = async (list, say, abort) => {
    const done = await writeChanges(table, list, say, abort);
    const ids = new Set(done.written.map((each) => each.id));
    stage((kept.get(name) ?? []).filter((each) => !ids.has(each.id)));
    if (done.written.length) {
      const back = done.written.map((each) => inverse(each, schema)).reverse();
      toast(`${plural(done.written.length, "change")} written, ${plural(done.units, "unit")}`, {
        action: { text: "Undo", run: () => undo(back) },
      });
      run();
    }
    return done;
  };
  const undo = async (back) => {
    const done = await writeChanges(table, back);
    const failed = done.conflicts.length + (done.error ? 1 : 0);
    toast(failed ? `${plural(done.written.length, "change")} taken back; ${failed} not, since the items have changed again` : `${plural(done.written.length, "change")} taken back`, { kind: failed ? "warn" : "" });
    run();
  };
  const saveNow = async (change) => {
    const done = await write([change]);
    if (done.error) throw done.error;
    if (done.conflicts.length) {
      const [{ now }] = done.conflicts;
      throw new ApiError({ type: "Changed meanwhile", message: now ? "Someone has changed this item since it was read. Stage your change to compare and decide." : change.before ? "Someone has deleted this item since it was read." : "An item with this key is there already.", operation: "the item as it is now", request: now ?? {} });
    }
    open(null);
  };
  const close = () => open(null);
  return html`
    <${Builder} table=${table} query=${query} onQuery=${set} onRun=${run} onStop=${stop} running=${running} names=${names} fault=${fault} />
    <${ErrorBox} error=${error} again=${() => run()} />
    <div class="toolbar">
      <${Tabs} label="View" tabs=${[["grid", "Grid"], ["collection", "Collections"], ["code", "As code"]]} value=${view} onValue=${(to) => setQuery({ view: to === "grid" ? "" : to }, { replace: true })} />
      <${Figures} result=${result} running=${running} read=${read} matched=${matched} />
      <div class="spacer"></div>
      ${!readOnly && html`${chosen.size > 0 && html`<${Button} kind="small" onClick=${() => open({ kind: "edit" })}>Edit ${plural(chosen.size, "item")}<//><${Button} kind="small danger" onClick=${() => remove(picked())}>Delete ${plural(chosen.size, "item")}<//>`}
        <${Button} kind="small primary" onClick=${() => open({ kind: "new", start: freshItem(table) })}>New item<//>`}
      <${Menu} kind="small" label="More" items=${[
        !readOnly && chosen.size === 1 && { text: "Duplicate the item …", run: () => open({ kind: "new", start: picked()[0].item }) },
        { text: chosen.size ? `Export ${plural(chosen.size, "selected item")} …` : "Export …", run: () => open({ kind: "export" }) },
        !readOnly && { text: "Import …", run: () => open({ kind: "import" }) },
        { text: "Columns …", run: () => open({ kind: "columns" }) },
      ]} />
    </div>
    ${changes.length > 0 && html`<${Staged} table=${table} changes=${changes} onChanges=${stage} onWrite=${write} onOpen=${(change) => open({ kind: "item", before: change.before, start: change.after ?? change.before })} />`}
    ${view === "grid" && rows.length > 0 && html`<${Grid} label=${`Items of ${name}`} items=${shown} columns=${columns} keys=${keys} chosen=${chosen} onChoose=${choose} marks=${(row) => marks[row]} onOpen=${openItem}
      onValue=${readOnly ? undefined : edit} faultOf=${faultOf} onDelete=${readOnly ? undefined : (list) => remove(list.map((row) => rows[row]))} sort=${sort} onSort=${(each) => (sort?.name === each ? order(!sort.down && each, true) : order(each))} />`}
    ${view === "collection" && rows.length > 0 && html`<${Late} load=${() => import("../collection.js")} part="Collections" items=${shown} table=${table} query=${result.query} onOpen=${openItem} />`}
    ${view === "code" && result && html`<${Late} load=${() => import("../code.js")} part="AsCode" operation=${result.operation} request=${result.request} />`}
    ${result && !running && !rows.length && view !== "code" && html`<${Nothing} table=${table} result=${result} more=${() => run(result.query, { more: true })} readOnly=${readOnly} create=${() => open({ kind: "new", start: freshItem(table) })} />`}
    ${result?.next && rows.length > 0 && html`<p class="row"><${Button} disabled=${running} onClick=${() => run(result.query, { more: true })}>Read the next page<//> <span class="muted">There is more.</span></p>`}
    ${names.length > columns.length + hidden.size && html`<p class="muted">${names.length - columns.length - hidden.size} more attributes have no column: choose them with More, Columns.</p>`}
    <${Dialogs} dialog=${dialog} close=${close} table=${table} schema=${schema} readOnly=${readOnly} add=${add} saveNow=${saveNow} result=${result} picked=${picked} names=${names} hidden=${hidden} hide=${hide} run=${run} choose=${choose} partial=${partial} />`;
}

function Dialogs({ dialog, close, table, schema, readOnly, add, saveNow, result, picked, names, hidden, hide, run, choose, partial }) {
  if (!dialog) return null;
  const { kind, before, start } = dialog;
  const lateDialog = (load, part, props) => html`<${Late} load=${load} part=${part} table=${table} onClose=${close} ...${props} />`;
  if (kind === "item" || kind === "new") {
    const changed = (after) => changeOf(before, after, schema);
    const stageIt = (after) => {
      add(changed(after));
      close();
    };
    return lateDialog(() => import("../itemform.js"), "ItemDialog", {
      before, start, readOnly, title: before ? `Item ${keyText(before, schema)}` : "New item", onStage: stageIt, onSave: (after) => saveNow(changed(after)),
      onDelete: before && (() => stageIt(undefined)),
    });
  }
  if (kind === "edit") {
    return lateDialog(() => import("../bulkedit.js"), "BulkEdit", {
      items: picked(), names, partial, onDone: (list) => {
        add(...list);
        choose(new Set());
        close();
      },
    });
  }
  if (kind === "export") return lateDialog(() => import("../transfer.js"), "Export", { result, items: picked().map((each) => each.item) });
  if (kind === "import") return lateDialog(() => import("../transfer.js"), "Import", { onDone: () => { close(); run(); } });
  if (kind === "columns") {
    const flip = (name, on) => {
      const next = new Set(hidden);
      if (on) next.delete(name);
      else next.add(name);
      hide(next);
    };
    return html`<${Dialog} title="Columns" onClose=${close}><div class="columns">${names.map((name) => html`<${Check} key=${name} label=${visible(name)} value=${!hidden.has(name)} onValue=${(on) => flip(name, on)} />`)}</div><//>`;
  }
  return html`<${Dialog} title="Error" onClose=${close}><${ErrorBox} error=${dialog.error} /><//>`;
}

/** A part of a module that is loaded when it is first shown. */
function Late({ load, part, ...rest }) {
  const { value } = useLoaded(load, []);
  return value ? html`<${value[part]} ...${rest} />` : html`<${Loading} />`;
}

/** The rows of the grid: new items first, then those that were read, each with its staged change. */
function shownRows(items, changes, schema, sort) {
  const byId = new Map(changes.map((each) => [each.id, each]));
  const all = items.map((before) => {
    const change = byId.size ? byId.get(keyId(before, schema)) : undefined;
    return { before: change?.before ?? before, item: change?.after ?? before, change };
  });
  const read = sort ? sortedBy(all, (row) => own(row.item, sort.name), sort.down) : all;
  const fresh = changes.filter((each) => !each.before).map((change) => ({ item: change.after, change }));
  const rows = [...fresh, ...read];
  return { rows, shown: rows.map((each) => each.item), marks: rows.map(({ change }) => change && (change.before ? (change.after ? "changed" : "gone") : "new")) };
}

/** The value of a text of a cell, of the type that was there; a text says why there is none. */
function retold(value, text) {
  const type = typeOf(value);
  if (type === "N") return numberFault(text.trim()) ?? { N: text.trim() };
  if (type === "BOOL") return ["true", "false"].includes(text) ? { BOOL: text === "true" } : "true or false";
  if (type === "NULL") return text === "null" ? value : { S: text };
  return { S: text };
}

const freshItem = (table) => {
  const types = Object.fromEntries(table.AttributeDefinitions.map((each) => [each.AttributeName, each.AttributeType]));
  return Object.fromEntries(table.KeySchema.map(({ AttributeName: name }) => [name, { [types[name]]: "" }]));
};

function Figures({ result, running, read = 0, matched = 0 }) {
  if (running) return html`<span class="muted" role="status">${read ? `${count(read)} items read, ${count(matched)} found …` : "Reading …"}</span>`;
  if (!result) return null;
  const { items, scanned, units, requests, ms, size } = result;
  return html`<span class="figures" role="status"><strong>${plural(items.length, "item")}</strong>${scanned !== items.length && html` of <strong>${count(scanned)}</strong> read`} · <strong>${count(units)}</strong> read units · ${plural(requests, "request")} · ${Math.round(ms)} ms · ${count(Math.ceil(size / 1024))} KB</span>`;
}

function Nothing({ table, result, more, readOnly, create }) {
  if (result.next) return html`<${Empty} title="Nothing found so far"><p>${plural(result.scanned, "item")} read, and none matches. There are more.</p><${Button} kind="primary" onClick=${more}>Read on<//><//>`;
  if (result.scanned || result.operation === "Query") return html`<${Empty} title="No item matches"><p>${plural(result.scanned, "item")} read, to the end.</p><//>`;
  const command = `aws dynamodb put-item --table-name ${table.TableName} --item '${JSON.stringify(Object.fromEntries(table.KeySchema.map(({ AttributeName: name }) => [name, { [table.AttributeDefinitions.find((each) => each.AttributeName === name).AttributeType]: "1" }])))}' --endpoint-url ${location.origin}`;
  return html`<${Empty} title="The table is empty" command=${command}>${!readOnly && html`<p><${Button} kind="primary" onClick=${create}>New item<//></p>`}<p>Or put an item with an SDK:</p><//>`;
}
