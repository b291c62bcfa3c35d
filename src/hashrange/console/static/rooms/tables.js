// The list of tables, and what is done with whole tables: create, clone, purge, delete.
import { html, useEffect, useRef, useState } from "../vendor/ui.js";
import { all, ask, call, scope, session } from "../api.js";
import { address, Badge, Button, bytes, Confirm, count, Dialog, Empty, ErrorBox, go, Link, Loading, Menu, plural, tablePath, Text, Check, toast, useLoaded, useValue } from "../parts.js";
import { shortNumber } from "../chart.js";
import { usePolled } from "../lists.js";
import { awaited, describe, modeOf, recoveryOf, requestLike, ttlOf, unitsText } from "../definition.js";

const AT_ONCE = 6;
const ROWS_FIRST = 200;
const UNITS_AT_ONCE = 50;
const UNITS_SECONDS = 10;
const ALARMS_SECONDS = 30;

const listTables = () => all("ListTables", {}, "TableNames", "LastEvaluatedTableName", "ExclusiveStartTableName");

/** Descriptions of tables, as they arrive; a table that the user may not describe has an error. */
function useDescriptions(names) {
  const [found, change] = useState({});
  useEffect(() => {
    let current = true;
    const waiting = [...(names ?? [])];
    const work = async () => {
      for (let name = waiting.shift(); name !== undefined && current; name = waiting.shift()) {
        const [table, ttl, recovery] = await Promise.allSettled([describe(name), ttlOf(name), recoveryOf(name)]);
        if (!current) return;
        const row = { table: table.value, error: table.reason, ttl: ttl.value, recovery: recovery.value };
        change((before) => ({ ...before, [name]: row }));
      }
    };
    for (let each = 0; each < AT_ONCE; each += 1) work();
    return () => { current = false; };
  }, [names]);
  return found;
}

/** What the tables consume now. */
function useUnits(names) {
  const elsewhere = useValue(scope).endpoint;
  const load = async () => {
    const found = {};
    for (let at = 0; at < names.length && !elsewhere; at += UNITS_AT_ONCE) Object.assign(found, (await ask("units", { TableNames: names.slice(at, at + UNITS_AT_ONCE) })).tables);
    return found;
  };
  return usePolled(load, [names.join("|"), elsewhere], UNITS_SECONDS).value ?? {};
}

/** The table that an alarm watches: of its metric, or of those of its expression. */
const tableOf = (alarm) => [alarm, ...(alarm.Metrics ?? []).map((each) => each.MetricStat?.Metric ?? {})].flatMap((each) => each.Dimensions ?? []).find((each) => each.Name === "TableName")?.Value;

/** The alarms of each table; none of those that the user may not read. */
function useAlarms() {
  const load = async () => Map.groupBy(await all("cloudwatch:DescribeAlarms", {}, "MetricAlarms", "NextToken", "NextToken"), tableOf);
  return usePolled(load, [], ALARMS_SECONDS).value;
}

const STATES = [["ALARM", "delete", "in alarm"], ["INSUFFICIENT_DATA", "warn", "without data"], ["OK", "ok", "OK"]];

/** Alarms by state: `1 in alarm`. */
function alarmsOf(alarms, name) {
  if (!alarms?.has(name)) return html`<span class="muted">–</span>`;
  const found = Map.groupBy(alarms.get(name), (each) => each.StateValue);
  const names = alarms.get(name).map((each) => `${each.AlarmName}: ${each.StateValue}`).join("\n");
  return html`<span title=${names}>${STATES.filter(([state]) => found.has(state)).map(([state, kind, text]) => html`<${Badge} kind=${kind}>${found.get(state).length} ${text}<//> `)}</span>`;
}

const unitsNow = (units) => (units ? html`${shortNumber(units.read_units)} r · ${shortNumber(units.write_units)} w${units.throttled > 0 && html` · <span class="fault">${shortNumber(units.throttled)} throttled</span>`}` : html`<span class="muted">–</span>`);

export default function Tables() {
  const { query } = useValue(address);
  const facts = useValue(session);
  const { value: names, error, loading, again } = useLoaded(listTables, []);
  const found = useDescriptions(names);
  const [chosen, choose] = useState(new Set());
  const [dialog, open] = useState(null);
  const [most, more] = useState(ROWS_FIRST);
  const filter = query.get("filter") ?? "";
  const readOnly = facts.console === "read-only";
  const changing = Object.values(found).some((row) => row.table && row.table.TableStatus !== "ACTIVE");
  useEffect(() => {
    if (!changing) return undefined;
    const timer = setTimeout(again, 1000);
    return () => clearTimeout(timer);
  }, [changing, found]);
  useEffect(() => {
    if (query.get("create")) {
      open({ kind: "create" });
      go("/tables", { replace: true });
    }
  }, [query]);
  const close = () => open(null);
  const done = () => {
    close();
    choose(new Set());
    again();
  };
  const shown = (names ?? []).filter((name) => name.toLowerCase().includes(filter.toLowerCase()));
  const units = useUnits(shown.slice(0, Math.min(most, ROWS_FIRST)));
  const alarms = useAlarms();
  const toggle = (name) => {
    const next = new Set(chosen);
    if (!next.delete(name)) next.add(name);
    choose(next);
  };
  const setFilter = (text) => go(`/tables${text ? `?filter=${encodeURIComponent(text)}` : ""}`, { replace: true });
  return html`
    <div class="head"><h1>Tables</h1>
      ${names && html`<span class="muted">${filter ? `${shown.length} of ` : ""}${plural(names.length, "table")}</span>`}
      <input type="search" aria-label="Filter tables" placeholder="Filter" value=${filter} onInput=${(event) => setFilter(event.target.value)} />
      <div class="spacer"></div>
      ${chosen.size > 0 && !readOnly && html`<${Button} kind="danger" disabled=${[...chosen].some((name) => !found[name]?.table)} onClick=${() => open({ kind: "purge", names: [...chosen] })}>Purge ${plural(chosen.size, "table")}<//><${Button} kind="danger" onClick=${() => open({ kind: "delete", names: [...chosen] })}>Delete ${plural(chosen.size, "table")}<//>`}
      <${Button} onClick=${again} aria-label="Read again">↻<//>
      ${!readOnly && html`<${Button} kind="primary" onClick=${() => open({ kind: "create" })}>Create table<//>`}
    </div>
    <${ErrorBox} error=${error} again=${again} />
    ${loading && !names && html`<${Loading} />`}
    ${names && !names.length && html`<${NoTables} facts=${facts} create=${() => open({ kind: "create" })} readOnly=${readOnly} />`}
    ${names?.length > 0 && html`<div class="scroll" tabindex="0" role="region" aria-label="Tables"><table class="list">
      <thead><tr>${!readOnly && html`<th class="tick"><input type="checkbox" aria-label="Select all tables" checked=${shown.length > 0 && shown.every((name) => chosen.has(name))} onChange=${(event) => choose(new Set(event.target.checked ? shown : []))} /></th>`}
        ${["Name", "Status", "Items", "Size", "Key", "Capacity", "Units now", "Indexes", "Stream", "TTL", "PITR", "Replicas", "Alarms"].map((each) => html`<th scope="col" class=${["Items", "Size"].includes(each) ? "number" : ""}>${each}</th>`)}<th><span class="hidden">Actions</span></th></tr></thead>
      <tbody>${shown.slice(0, most).map((name) => html`<${Row} key=${name} name=${name} row=${found[name]} units=${units[name]} alarms=${alarms} chosen=${chosen.has(name)} toggle=${() => toggle(name)} open=${open} readOnly=${readOnly} />`)}</tbody>
    </table></div>`}
    ${shown.length > most && html`<p><${Button} onClick=${() => more(most + ROWS_FIRST)}>Show ${Math.min(ROWS_FIRST, shown.length - most)} more<//></p>`}
    ${names?.length > 0 && !shown.length && html`<${Empty} title="No table has that name"><${Button} onClick=${() => setFilter("")}>Show all<//><//>`}
    ${dialog?.kind === "create" && html`<${Late} load=${() => import("./create.js")} onClose=${close} onDone=${done} />`}
    ${dialog?.kind === "delete" && html`<${DeleteTables} names=${dialog.names} found=${found} onClose=${close} onDone=${done} />`}
    ${dialog?.kind === "purge" && html`<${Purge} tables=${dialog.names.map((name) => found[name].table)} onClose=${close} onDone=${done} />`}
    ${dialog?.kind === "clone" && html`<${Clone} table=${found[dialog.name].table} onClose=${close} onDone=${done} />`}`;
}

function NoTables({ facts, create, readOnly }) {
  const separate = facts.namespaces === "separate";
  return html`<${Empty} title="No tables yet" command=${`aws dynamodb list-tables --endpoint-url ${location.origin}`}>
    ${separate && html`<p>Each account and region has tables of its own here: choose another one above, or use its credentials.</p>`}
    <p>Create the first table ${readOnly ? "with an SDK; this console only reads" : html`here, or with any AWS SDK`}. This command uses the same endpoint:</p>
    ${!readOnly && html`<p><${Button} kind="primary" onClick=${create}>Create table<//></p>`}
  <//>`;
}

function Row({ name, row, units, alarms, chosen, toggle, open, readOnly }) {
  const { table, error, ttl, recovery } = row ?? {};
  const keys = table?.KeySchema.map((each) => each.AttributeName).join(" / ");
  const indexes = [table?.GlobalSecondaryIndexes, table?.LocalSecondaryIndexes, table?.VectorIndexes].flatMap((each) => each ?? []).length;
  const has = (on, text) => (on ? html`<${Badge} kind="on">${text}<//>` : html`<span class="muted">–</span>`);
  const cells = table
    ? html`<td><${Badge} kind=${table.TableStatus === "ACTIVE" ? "ok" : "warn"}>${table.TableStatus}<//></td>
      <td class="number">${count(table.ItemCount)}</td><td class="number">${bytes(table.TableSizeBytes)}</td>
      <td class="mono cut" title=${keys}>${keys}</td><td title=${modeOf(table)}>${unitsText(table)}</td><td title="Read and write units a second, of the last minute">${unitsNow(units)}</td><td>${indexes || html`<span class="muted">–</span>`}</td>
      <td>${has(table.StreamSpecification?.StreamEnabled, table.StreamSpecification?.StreamViewType.toLowerCase().replaceAll("_", " "))}</td>
      <td>${has(ttl?.TimeToLiveStatus === "ENABLED", ttl?.AttributeName)}</td>
      <td>${has(recovery?.PointInTimeRecoveryStatus === "ENABLED", "on")}</td>
      <td>${table.Replicas?.map((each) => each.RegionName).join(", ") || html`<span class="muted">–</span>`}</td>
      <td>${alarmsOf(alarms, name)}</td>`
    : html`<td colspan="12" class="muted">${error ? `${error.type}: ${error.message}` : ""}</td>`;
  return html`<tr aria-selected=${chosen || undefined}>
    ${!readOnly && html`<td class="tick"><input type="checkbox" aria-label=${`Select ${name}`} checked=${chosen} onChange=${toggle} /></td>`}
    <th scope="row" class="cut"><${Link} to=${tablePath(name)} title=${name}>${name}<//></th>${cells}
    <td class="tick"><${Menu} kind="quiet small" label=${html`<span aria-label=${`Actions of ${name}`}>⋯</span>`} items=${[
      { text: "Settings", run: () => go(tablePath(name, "settings")) },
      !readOnly && table && { text: "Clone …", run: () => open({ kind: "clone", name }) },
      !readOnly && table && { text: "Purge …", danger: true, run: () => open({ kind: "purge", names: [name] }) },
      !readOnly && { text: "Delete …", danger: true, run: () => open({ kind: "delete", names: [name] }) },
    ]} /></td></tr>`;
}

/** A component of a module that is loaded now. */
function Late({ load, ...rest }) {
  const { value } = useLoaded(load, []);
  return value ? html`<${value.default} ...${rest} />` : null;
}

function Loss({ tables }) {
  return html`<ul>${tables.map((table) => html`<li><strong>${table.TableName}</strong>: ${plural(table.ItemCount, "item")}, ${bytes(table.TableSizeBytes)}${table.DeletionProtectionEnabled ? " – protected from deletion: the server will refuse" : ""}</li>`)}</ul>`;
}

function DeleteTables({ names, found, onClose, onDone }) {
  const tables = names.map((name) => found[name]?.table ?? { TableName: name });
  const act = async (say) => {
    for (const [index, name] of names.entries()) {
      say(`Deleting ${index + 1} of ${names.length} …`);
      await call("DeleteTable", { TableName: name });
      await awaited(name, (table) => table === undefined);
    }
    toast(`${plural(names.length, "table")} deleted`);
    onDone();
  };
  const one = names.length === 1;
  return html`<${Confirm} title=${one ? `Delete ${names[0]}` : `Delete ${names.length} tables`} name=${one ? names[0] : `delete ${names.length} tables`} action="Delete" onClose=${onClose} onDone=${act}
    lost=${html`<p>This cannot be undone. What will be lost, with all indexes and streams:</p><${Loss} tables=${tables} />`} />`;
}

export function Purge({ tables, onClose, onDone }) {
  const abort = useRef(new AbortController());
  useEffect(() => () => abort.current.abort(), []);
  const act = async (say) => {
    const { purge } = await import("../bulk.js");
    let gone = 0;
    for (const table of tables) gone += await purge(table, (items) => say(`${count(items)} items of ${table.TableName} deleted …`), abort.current.signal);
    toast(`${plural(gone, "item")} deleted from ${of}`);
    onDone();
  };
  const one = tables.length === 1;
  const of = one ? tables[0].TableName : plural(tables.length, "table");
  return html`<${Confirm} title=${`Purge ${of}`} name=${one ? of : `purge ${of}`} action="Delete all items" onClose=${onClose} onDone=${act}
    lost=${html`<p>All items are deleted one by one, and each deletion costs write units and is in the stream. Tables, their indexes and settings stay. This cannot be undone.</p><${Loss} tables=${tables} /><p class="muted">Cancel stops it; what was deleted by then is gone.</p>`} />`;
}

export function Clone({ table, onClose, onDone }) {
  const [name, change] = useState(`${table.TableName}-copy`);
  const [items, copy] = useState(true);
  const [state, set] = useState({});
  const abort = useRef(new AbortController());
  useEffect(() => () => abort.current.abort(), []);
  const act = async () => {
    try {
      set({ at: "Creating the table …" });
      await call("CreateTable", requestLike(table, name));
      await awaited(name);
      if (items) {
        const { copyItems } = await import("../bulk.js");
        await copyItems(table.TableName, name, (copied) => set({ at: `${count(copied)} items copied …` }), abort.current.signal);
      }
      toast(`${table.TableName} cloned to ${name}`, { action: { text: "Open", run: () => go(tablePath(name)) } });
      onDone();
    } catch (error) {
      set({ error });
    }
  };
  return html`<${Dialog} title=${`Clone ${table.TableName}`} onClose=${onClose} actions=${html`<${Button} onClick=${onClose}>Cancel<//><${Button} kind="primary" disabled=${Boolean(state.at)} onClick=${act}>Clone<//>`}>
    <${Text} label="Name of the new table" value=${name} onValue=${change} autofocus />
    <${Check} label=${`Copy the items (${count(table.ItemCount)}, ${bytes(table.TableSizeBytes)})`} value=${items} onValue=${copy} hint="They are read and written one after the other; the copy is not a state of one moment." />
    <p class="muted">Keys, indexes, capacity, class and stream are the same. Tags, time to live, recovery and protection are not copied.</p>
    ${state.at && html`<p class="loading" role="status">${state.at}</p>`}
    <${ErrorBox} error=${state.error} />
  <//>`;
}
