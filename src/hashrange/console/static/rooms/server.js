// The server: whether it is ready and why not, its load, disk, backups, certificates, slow requests and settings.
import { html, useRef } from "../vendor/ui.js";
import { ask } from "../api.js";
import { address, Badge, bytes, Check, Copy, count, ErrorBox, Loading, plural, Time, useLoaded, useValue } from "../parts.js";
import { duration, Facts, Meter, Panel, Rows, setQuery, share, usePolled } from "../lists.js";

const SECONDS = 3;
const DAY_MS = 86400000;
const SOON_DAYS = 30;
const ID_END = 8;
const LEAST_FREE = 0.1;

/** The upper bound of the bucket that has a share of all durations, in words; what is longer than all bounds is `>`. */
export function within(counts, bounds, part) {
  const total = counts.reduce((sum, each) => sum + each, 0);
  if (!total) return "–";
  let seen = 0;
  const at = counts.findIndex((each) => (seen += each) >= part * total);
  const text = (seconds) => (seconds < 1 ? `${Number((seconds * 1000).toPrecision(3))} ms` : `${seconds} s`);
  return at < bounds.length ? `≤ ${text(bounds[at])}` : `> ${text(bounds.at(-1))}`;
}

const minus = (now, before) => now.map((each, at) => each - (before?.[at] ?? 0));
const sum = (list) => list.reduce((total, each) => total + each, 0);

/** What an operator should know first. */
export function warnings(state) {
  const { figures, disk, backup, certificates } = state;
  const found = [
    figures.engine_disk_full && "The disk is full: only deletes are accepted",
    disk && disk.free / disk.size < LEAST_FREE && `The disk has ${bytes(disk.free)} left of ${bytes(disk.size)}`,
    backup?.failure && `The place of the backups cannot be read: ${backup.failure}`,
    backup && !backup.failure && backup.newestMs === null && "There is no backup yet",
    figures.audit_records_dropped_total && `The audit log has lost ${plural(figures.audit_records_dropped_total, "record")}`,
    figures.audit_write_failures_total && `${plural(figures.audit_write_failures_total, "write")} to the audit log failed`,
    figures.worker_restarts_total && `${plural(figures.worker_restarts_total, "process", "processes")} ended and were started again`,
    figures.background_failures_total && `Background work failed ${plural(figures.background_failures_total, "time")} and was started again: see the log`,
    figures.engine_recoveries_total && `The storage failed and was opened again ${plural(figures.engine_recoveries_total, "time")}`,
    ...certificates.map((each) => (each.failure ? `${each.file}: ${each.failure}` : each.endsMs - state.nowMs < SOON_DAYS * DAY_MS && `The certificate ${each.subject} ${each.endsMs < state.nowMs ? "has ended" : `ends in ${duration((each.endsMs - state.nowMs) / 1000)}`}`)),
  ];
  return found.filter(Boolean);
}

export default function Server() {
  const { value: state, error, again } = usePolled(() => ask("server"), [], SECONDS);
  const past = useRef([]);
  if (state && past.current.at(-1)?.nowMs !== state.nowMs) past.current = [...past.current, state].slice(-20);
  const found = state ? warnings(state) : [];
  const ready = state && !error && !state.fault;
  return html`
    <div class="head"><h1>Server</h1>${(state || error) && html`<${Badge} kind=${ready ? "ok" : "delete"}>${ready ? "ready" : error ? "no answer" : "not ready"}<//>`}${state && html`<span class="muted">hashrange ${state.version}</span>`}</div>
    <${ErrorBox} error=${error} again=${again} />${!state && !error && html`<${Loading} />`}
    ${state?.fault && html`<div class="error" role="alert"><p><strong>Not ready</strong> ${state.fault}</p></div>`}
    ${found.length > 0 && html`<ul class="notes" aria-label="Warnings">${found.map((each) => html`<li>${each}</li>`)}</ul>`}
    ${state && html`<div class="cards dense">
      <${Load} now=${state} past=${past.current} /><${Storage} state=${state} /><${Backups} backup=${state.backup} now=${state.nowMs} /><${Processes} state=${state} past=${past.current} />
      ${state.certificates.length > 0 && html`<${Certificates} state=${state} />`}</div>
      <${Slow} rows=${state.slow} /><${Settings} />`}`;
}

function Load({ now, past }) {
  const before = past[0] === now ? undefined : past[0];
  const seconds = before ? (now.nowMs - before.nowMs) / 1000 : 0;
  const rate = (member) => (seconds ? count(Math.round((sum(now[member]) - sum(before[member])) / seconds * 10) / 10) : "–");
  const tail = (member) => {
    const fresh = minus(now[member], before?.[member]);
    const some = before && sum(fresh) > 0;
    return html`${within(some ? fresh : now[member], now.bounds, 0.99)} <span class="muted">${some ? `in ${duration(seconds)}` : "since the start"}</span>`;
  };
  return html`<${Panel} title="Load"><${Facts} rows=${[
    ["Connections", html`${count(now.connections)} <span class="muted">of ${count(now.connectionsMax)}</span> <${Meter} label="Connections in use" share=${now.connections / now.connectionsMax} />`],
    ["Requests a second", rate("durations")],
    ["Requests, p99", tail("durations")],
    ["Commits, p99", tail("commits")], ["Syncs of the log, p99", tail("syncs")],
    ["Writes that wait", count(now.figures.engine_write_queue_length ?? 0)]]} /><//>`;
}

function Storage({ state }) {
  const { disk, figures } = state;
  return html`<${Panel} title="Storage">${disk ? html`<${Facts} rows=${[
      ["Directory", html`<code>${disk.place}</code>`], ["Disk left", html`${bytes(disk.free)} <span class="muted">of ${bytes(disk.size)}</span> <${Meter} label="Disk in use" share=${1 - disk.free / disk.size} />`], ["Data file", bytes(figures.engine_data_bytes)],
      ["Log to be merged", figures.engine_wal_pages === undefined ? "–" : bytes(figures.engine_wal_pages * 4096)]]} />`
    : html`<p class="muted">${figures.engine_statements_total === undefined ? "The tables are in memory: they are lost when the server stops." : "The tables are in a database, which has its own disk."}</p>
      <${Facts} rows=${[figures.engine_statements_total !== undefined && ["Statements sent", count(figures.engine_statements_total)], figures.engine_data_bytes !== undefined && ["Data", bytes(figures.engine_data_bytes)]]} />`}<//>`;
}

function Backups({ backup, now }) {
  const command = "hashrange serve --backup-to /backups --backup-every 1h";
  return html`<${Panel} title="Backups of all data">${backup ? html`<${Facts} rows=${[
      ["Place", html`<code>${backup.place}</code>`], ["Every", backup.every ?? "on request"],
      ["Last", backup.failure ? html`<span class="fault">${backup.failure}</span>` : backup.newestMs ? html`<span>${duration((now - backup.newestMs) / 1000)} ago, <${Time} at=${backup.newestMs / 1000} /></span>` : "none yet"]]} />`
    : html`<p class="muted">None are scheduled. This does it:</p><div class="command"><code>${command}</code><${Copy} text=${command} /></div>`}<//>`;
}

function Processes({ state, past }) {
  const { figures, workers } = state;
  const before = past[0] === state ? undefined : past[0];
  const cpu = before && (figures.process_cpu_seconds_total - before.figures.process_cpu_seconds_total) / ((state.nowMs - before.nowMs) / 1000);
  return html`<${Panel} title="Processes"><${Facts} rows=${[
    ["Processes", workers ? html`${workers} <span class="muted">that answer, one that writes</span>` : "1"], ["Started again", count(figures.worker_restarts_total ?? 0)],
    ["CPU", cpu === undefined ? "–" : share(cpu)], ["Memory", bytes(figures.process_resident_memory_bytes)],
    ["Background work", figures.background_leads ? "done here" : "done by another server, or not yet"]]} /><//>`;
}

function Certificates({ state }) {
  return html`<${Panel} title="Certificates"><ul class="lines">${state.certificates.map((each) => html`<li key=${each.file + each.subject}><span><strong>${each.subject || each.file}</strong> <small class="muted">${each.setting}</small></span><div class="spacer"></div>
    ${each.failure ? html`<span class="fault">${each.failure}</span>` : html`<${Badge} kind=${each.endsMs < state.nowMs ? "delete" : each.endsMs - state.nowMs < SOON_DAYS * DAY_MS ? "warn" : "ok"}>${each.endsMs < state.nowMs ? "ended" : `ends in ${duration((each.endsMs - state.nowMs) / 1000)}`}<//><small><${Time} at=${each.endsMs / 1000} /></small>`}</li>`)}</ul><//>`;
}

function Slow({ rows }) {
  return html`<h2>Slow requests</h2>${rows.length ? html`<${Rows} label="Slow requests" head=${["Ago", ["Took", "number"], "Operation", "Tables", "Answer", "Request id"]}>
    ${rows.map(({ secondsAgo, request }) => html`<tr key=${request.request_id}><td>${duration(secondsAgo)}</td><td class="number">${count(Math.round(request.duration_ms))} ms</td><th scope="row">${request.operation}</th><td class="cut" title=${request.tables}>${request.tables || "–"}</td>
      <td>${request.fault ? html`<${Badge} kind="delete">${request.fault}<//>` : request.status}</td><td title=${request.request_id}><span class="mono">…${request.request_id.slice(-ID_END)}</span> <${Copy} text=${request.request_id} /></td></tr>`)}<//>`
    : html`<p class="muted">None since the start. What takes at least --slow-request-ms is shown here and is in the log.</p>`}`;
}

function Settings() {
  const { query } = useValue(address);
  const { value, error } = useLoaded(() => ask("settings"), []);
  const all = query.has("all");
  const filter = (query.get("filter") ?? "").toLowerCase();
  const rows = (value?.settings ?? []).filter((each) => (filter ? `${each.name} ${each.sentence}`.toLowerCase().includes(filter) : all || each.origin));
  return html`<div class="toolbar"><h2>Settings</h2><input type="search" aria-label="Filter settings" placeholder="Filter" value=${filter} onInput=${(event) => setQuery({ filter: event.target.value }, { replace: true })} /><${Check} label="Also defaults" value=${all} onValue=${(on) => setQuery({ all: on && "1" }, { replace: true })} /></div>
    <${ErrorBox} error=${error} />
    ${rows.length > 0 && html`<${Rows} label="Settings" head=${["Setting", "Value", "Comes from", "Default", "What it does"]}>${rows.map((each) => html`<tr key=${each.name}><th scope="row" class="mono">${each.name.replaceAll("_", "-")}</th>
      <td class="mono cut" title=${each.value}>${each.value || html`<span class="muted">–</span>`}</td><td>${each.origin ? html`<code>${each.origin}</code>` : html`<span class="muted">default</span>`}</td><td class="mono cut muted">${each.default}</td><td class="said">${each.sentence}</td></tr>`)}<//>`}
    ${value && !rows.length && html`<p class="muted">${filter ? "No setting has that name." : "All settings have their defaults."}</p>`}`;
}
