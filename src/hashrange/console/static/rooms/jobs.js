// Jobs with their progress, backups, and point-in-time recovery: what is restored, from what, and to which table.
import { html, useEffect, useState } from "../vendor/ui.js";
import { all, ask, call, session } from "../api.js";
import { address, Badge, Button, bytes, Choice, Confirm, Dialog, Empty, ErrorBox, Field, go, Link, Loading, Menu, plural, Select, Tabs, tablePath, Text, Time, toast, useLoaded, useValue } from "../parts.js";
import { duration, Facts, Panel, Rows, setQuery, share, usePolled } from "../lists.js";
import { describe, modeOf, recoveryOf } from "../definition.js";

const VIEWS = [["jobs", "Jobs"], ["backups", "Backups"], ["recovery", "Point in time"]];
const KINDS = { export: "Export", import: "Import", bulk: "Bulk operation", backup: "Backup", restore: "Restore", replica: "New replica", index: "Index" };
const SECONDS = 2;
const STEPS = 1000;
const CLICK_MS = 350;
const STATES = { IN_PROGRESS: "on", CREATING: "on", COMPLETED: "ok", AVAILABLE: "ok", FAILED: "delete", CANCELLED: "", COMPLETED_WITH_ERRORS: "warn", CANCELLING: "warn", DELETING: "warn" };

const listTables = () => all("ListTables", {}, "TableNames", "LastEvaluatedTableName", "ExclusiveStartTableName");
const State = ({ of }) => html`<${Badge} kind=${STATES[of] ?? ""}>${of.replaceAll("_", " ")}<//>`;

export default function Jobs() {
  const { query } = useValue(address);
  const readOnly = useValue(session).console === "read-only";
  const view = query.get("view") || "jobs";
  return html`<div class="head"><h1>Backups and jobs</h1><${Tabs} label="Parts of backups and jobs" tabs=${VIEWS} value=${view} onValue=${(to) => setQuery({ view: to === "jobs" ? "" : to })} /></div>
    ${view === "jobs" && html`<${Running} readOnly=${readOnly} />`}${view === "backups" && html`<${Backups} readOnly=${readOnly} />`}${view === "recovery" && html`<${Recovery} readOnly=${readOnly} />`}`;
}

/* Jobs */

function Running({ readOnly }) {
  const { value, error, again } = usePolled(() => ask("jobs"), [], SECONDS);
  const [dialog, open] = useState(null);
  const jobs = value?.jobs ?? [];
  return html`
    <div class="toolbar"><span class="muted">${value && `${plural(jobs.filter((each) => each.endedMs === null).length, "job")} under way`}</span><div class="spacer"></div>${!readOnly && html`<${Button} onClick=${() => open({ part: "Import" })}>Import …<//><${Button} onClick=${() => open({ part: "Export" })}>Export a table …<//>`}</div>
    <${ErrorBox} error=${error} again=${again} />${!value && !error && html`<${Loading} />`}
    ${value?.denied.length > 0 && html`<p class="muted">Your policies do not let you list: ${value.denied.map((each) => KINDS[each].toLowerCase()).join(", ")}.</p>`}
    ${value && !jobs.length && html`<${Empty} title="No jobs" command="hashrange serve --s3 exports=/srv/exports"><p>Exports, imports, bulk operations, backups, restores and index builds are shown here while they go on. Exports and imports need a bucket, which may be a directory:</p><//>`}
    ${jobs.length > 0 && html`<${Rows} label="Jobs" head=${["Job", "Table", "State", "Progress", "Begun", "Ended", ""]}>${jobs.map((each) => html`<tr key=${each.arn ?? each.kind + each.table + each.name}>
      <th scope="row"><span title=${each.arn}>${KINDS[each.kind]}</span> <span class="muted cut">${each.name}</span></th><td class="cut"><${Link} to=${tablePath(each.table)}>${each.table}<//></td>
      <td><${State} of=${each.state} />${each.failure && html`<div class="fault said">${each.failure}</div>`}</td><td>${each.endedMs === null && html`<${Progress} job=${each} />`}</td>
      <td>${each.begunMs ? html`<${Time} at=${each.begunMs / 1000} />` : "–"}</td><td>${each.endedMs ? html`<${Time} at=${each.endedMs / 1000} />` : html`<span class="muted">–</span>`}</td>
      <td>${each.mayCancel && !readOnly && html`<${Button} kind="quiet small" onClick=${() => open({ cancel: each })}>Cancel …<//>`}</td></tr>`)}<//>`}
    ${dialog?.cancel && html`<${Confirm} title="Cancel a bulk operation" action="Cancel it" onClose=${() => open(null)} lost=${html`<p>What it has written into <strong>${dialog.cancel.table}</strong> stays; the rest of its objects is not read.</p>`}
      onDone=${async () => { await call("CancelBulkOperation", { BulkOperationArn: dialog.cancel.arn }); open(null); again(); }} />`}
    ${dialog?.part && html`<${Objects} part=${dialog.part} onClose=${() => open(null)} onDone=${(text) => { open(null); again(); toast(text); }} />`}`;
}

/** A dialog of a job with objects, which is loaded when it is first opened. */
function Objects({ part, ...rest }) {
  const { value, error } = useLoaded(() => Promise.all([import("./objects.js"), listTables()]), []);
  if (!value) return html`<${ErrorBox} error=${error} />`;
  const [module, names] = value;
  return html`<${module[part]} names=${names} ...${rest} />`;
}

function Progress({ job }) {
  if (job.progress === null) return html`<span class="muted">begins</span>`;
  return html`<div class="row progress"><progress max="1" value=${job.progress} aria-label=${`Progress of ${KINDS[job.kind]} ${job.name}`}></progress><span>${share(job.progress)}</span>${job.secondsLeft !== null && html`<span class="muted">${duration(job.secondsLeft)} left</span>`}</div>`;
}

/* Backups */

function Backups({ readOnly }) {
  const { query } = useValue(address);
  const { value: found, error, again } = usePolled(() => all("ListBackups", {}, "BackupSummaries", "LastEvaluatedBackupArn", "ExclusiveStartBackupArn"), [], 5);
  const [dialog, open] = useState(null);
  const filter = (query.get("filter") ?? "").toLowerCase();
  const shown = (found ?? []).filter((each) => `${each.TableName} ${each.BackupName}`.toLowerCase().includes(filter)).sort((a, b) => b.BackupCreationDateTime - a.BackupCreationDateTime);
  const done = (text) => {
    open(null);
    again();
    toast(text);
  };
  return html`
    <div class="toolbar"><input type="search" aria-label="Filter backups" placeholder="Filter" value=${query.get("filter") ?? ""} onInput=${(event) => setQuery({ filter: event.target.value }, { replace: true })} /><div class="spacer"></div>
      ${!readOnly && html`<${Button} kind="primary" onClick=${() => open("create")}>Create backup<//>`}</div>
    <${ErrorBox} error=${error} again=${again} />${!found && !error && html`<${Loading} />`}
    ${found && !found.length && html`<${Empty} title="No backups yet" command=${`aws dynamodb create-backup --table-name NAME --backup-name first --endpoint-url ${location.origin}`}><p>A backup has a table as it is now, until you delete it. Create one here, or with this command.</p><//>`}
    ${shown.length > 0 && html`<${Rows} label="Backups" head=${["Backup", "Table", "State", ["Size", "number"], "Created", ""]}>${shown.map((each) => html`<tr key=${each.BackupArn}><th scope="row" class="cut" title=${each.BackupArn}>${each.BackupName}</th><td class="cut">${each.TableName}</td>
      <td><${State} of=${each.BackupStatus} /></td><td class="number">${bytes(each.BackupSizeBytes)}</td><td><${Time} at=${each.BackupCreationDateTime} /></td>
      <td class="tick">${!readOnly && html`<${Menu} kind="quiet small" label=${html`<span aria-label=${`Actions of ${each.BackupName}`}>⋯</span>`} items=${[{ text: "Restore …", disabled: each.BackupStatus !== "AVAILABLE", run: () => open({ restore: each }) }, { text: "Delete …", danger: true, run: () => open({ drop: each }) }]} />`}</td></tr>`)}<//>`}
    ${found?.length > 0 && !shown.length && html`<${Empty} title="No backup has that name"><${Button} onClick=${() => setQuery({ filter: "" })}>Show all<//><//>`}
    ${dialog === "create" && html`<${Create} onClose=${() => open(null)} onDone=${done} />`}
    ${dialog?.restore && html`<${Restore} source=${{ backup: dialog.restore }} onClose=${() => open(null)} />`}
    ${dialog?.drop && html`<${Confirm} title=${`Delete the backup ${dialog.drop.BackupName}`} name=${dialog.drop.BackupName} action="Delete" onClose=${() => open(null)}
      lost=${html`<p>The state of <strong>${dialog.drop.TableName}</strong> of <${Time} at=${dialog.drop.BackupCreationDateTime} /> (${bytes(dialog.drop.BackupSizeBytes)}) will be lost. This cannot be undone. The table itself stays.</p>`}
      onDone=${async () => { await call("DeleteBackup", { BackupArn: dialog.drop.BackupArn }); done(`${dialog.drop.BackupName} deleted`); }} />`}`;
}

function Create({ onClose, onDone }) {
  const { value: names = [] } = useLoaded(listTables, []);
  const [form, change] = useState({ table: "", name: "" });
  const [error, fail] = useState(null);
  const act = () => call("CreateBackup", { TableName: form.table, BackupName: form.name }).then(() => onDone("The backup has begun"), fail);
  return html`<${Dialog} title="Create a backup" onClose=${onClose} actions=${html`<${Button} onClick=${onClose}>Cancel<//><${Button} kind="primary" disabled=${!form.table || !form.name} onClick=${act}>Create<//>`}>
    <${Select} label="Table" options=${[["", "choose …"], ...names]} value=${form.table} onValue=${(table) => change({ table, name: form.name || `${table}-${new Date().toISOString().slice(0, 10)}` })} />
    <${Text} label="Name of the backup" value=${form.name} onValue=${(name) => change({ ...form, name })} /><${ErrorBox} error=${error} /><//>`;
}

/** Restores a backup, or the state of a table at a time, to a table that does not exist. */
function Restore({ source, onClose }) {
  const { backup, table, at } = source;
  const from = backup?.TableName ?? table.TableName;
  const [form, change] = useState({ name: `${from}-restored`, mode: "" });
  const [state, set] = useState({});
  const act = async () => {
    set({ at: true });
    const request = { TargetTableName: form.name, ...(form.mode ? { BillingModeOverride: form.mode } : {}) };
    try {
      if (backup) await call("RestoreTableFromBackup", { ...request, BackupArn: backup.BackupArn });
      else await call("RestoreTableToPointInTime", { ...request, SourceTableArn: table.TableArn, ...(at ? { RestoreDateTime: at / 1000 } : { UseLatestRestorableTime: true }) });
      onClose();
      setQuery({ view: "" });
      toast(`${form.name} is being restored`, { action: { text: "Open", run: () => go(tablePath(form.name)) } });
    } catch (error) {
      set({ error });
    }
  };
  return html`<${Dialog} title=${`Restore ${backup ? backup.BackupName : from}`} onClose=${onClose} actions=${html`<${Button} onClick=${onClose}>Cancel<//><${Button} kind="primary" disabled=${!form.name || Boolean(state.at)} onClick=${act}>Restore<//>`}>
    <${Facts} rows=${[["From", backup ? backup.BackupName : from], ["State of", html`<${Time} at=${backup ? backup.BackupCreationDateTime : new Date(at)} />`], backup && ["Size", bytes(backup.BackupSizeBytes)]]} />
    <${Text} label="To a new table" value=${form.name} onValue=${(name) => change({ ...form, name })} autofocus hint=${`${from} stays as it is`} />
    <${Select} label="Capacity" options=${[["", table ? `as now: ${modeOf(table) === "PROVISIONED" ? "provisioned" : "on demand"}` : "as it was"], ["PAY_PER_REQUEST", "on demand"]]} value=${form.mode} onValue=${(mode) => change({ ...form, mode })} />
    <p class="muted">Indexes are restored too. Not restored: auto scaling, tags, streams, time to live, point-in-time recovery and policies; set them on the new table.</p><${ErrorBox} error=${state.error} /><//>`;
}

/* Point in time */

async function loadRecovery(name) {
  const [table, recovery] = await Promise.all([describe(name), recoveryOf(name)]);
  return { table, recovery };
}

function Recovery({ readOnly }) {
  const { query } = useValue(address);
  const name = query.get("table") ?? "";
  const { value: names, error } = useLoaded(listTables, []);
  useEffect(() => {
    if (names?.length && !name) setQuery({ table: names[0] }, { replace: true });
  }, [names, name]);
  return html`<${ErrorBox} error=${error} />${names && !names.length && html`<${Empty} title="No tables yet"><p><${Link} to="/tables?create=1">Create one<//> first.</p><//>`}
    ${names?.length > 0 && html`<div class="toolbar"><${Field} label="Table">${(id) => html`<${Choice} id=${id} options=${names} value=${name} onValue=${(table) => setQuery({ table, at: "" })} />`}<//></div>`}
    ${name && html`<${Timeline} key=${name} name=${name} readOnly=${readOnly} />`}`;
}

function Timeline({ name, readOnly }) {
  const { value, error, again } = useLoaded(() => loadRecovery(name), [name]);
  const [restore, open] = useState(false);
  if (!value) return html`<${ErrorBox} error=${error} again=${again} />${!error && html`<${Loading} />`}`;
  const { table, recovery } = value;
  const turn = async () => {
    await call("UpdateContinuousBackups", { TableName: name, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } });
    again();
  };
  if (recovery.PointInTimeRecoveryStatus !== "ENABLED") return html`<${Empty} title="Earlier states of this table are not kept" command=${`aws dynamodb update-continuous-backups --table-name ${name} --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true --endpoint-url ${location.origin}`}>
      <p>With point-in-time recovery each state of the last 35 days can be restored to a new table.</p>${!readOnly && html`<p><${Button} kind="primary" onClick=${turn}>Turn it on<//></p>`}<//>`;
  const range = [recovery.EarliestRestorableDateTime * 1000, recovery.LatestRestorableDateTime * 1000];
  return html`<${Moment} table=${table} range=${range} open=${() => open(true)} again=${again} readOnly=${readOnly} />
    ${restore && html`<${Restore} source=${{ table, at: atOf(range) }} onClose=${() => open(false)} />`}`;
}

/** The time in the address, within a range; its end if there is none. */
function atOf([first, last]) {
  const at = Number(address.value.query.get("at"));
  return at ? Math.min(Math.max(at, first), last) : last;
}

const local = (ms) => new Date(ms - new Date(ms).getTimezoneOffset() * 60000).toISOString().slice(0, 19);

function Moment({ table, range, open, again, readOnly }) {
  const [first, last] = range;
  useValue(address);
  const at = atOf(range);
  const [size, change] = useState({});
  useEffect(() => {
    let current = true;
    change((before) => ({ ...before, loading: true }));
    const timer = setTimeout(() => ask("past", { TableName: table.TableName, timeMs: Math.round(at) }).then((found) => current && change({ size: found.size, known: true }), (error) => current && change({ error })), CLICK_MS);
    return () => { current = false; clearTimeout(timer); };
  }, [at]);
  const choose = (ms) => setQuery({ at: ms >= last ? "" : String(Math.round(ms)) }, { replace: true });
  const span = Math.max(last - first, 1);
  const known = size.known ? (size.size ? html`<span><strong>${plural(size.size.items, "item")}</strong>, ${bytes(size.size.bytes)}${size.size.isExact ? "" : ", about: it is being written"}</span>` : "more changes since than are read for this") : size.error ? html`<span class="fault">${size.error.message}</span>` : "…";
  return html`<${Panel} title=${`States of ${table.TableName}`} actions=${html`<${Button} kind="small" aria-label="Read again" onClick=${again}>↻<//>`}>
    <div class="timeline"><input type="range" aria-label="Time" aria-valuetext=${new Date(at).toLocaleString()} min="0" max=${STEPS} value=${Math.round(((at - first) / span) * STEPS)} onInput=${(event) => choose(first + (Number(event.target.value) / STEPS) * span)} />
      <div class="row muted"><${Time} at=${new Date(first)} /><div class="spacer"></div><${Time} at=${new Date(last)} /></div></div>
    <div class="fields"><${Text} label="Time" type="datetime-local" step="1" min=${local(first)} max=${local(last)} value=${local(at)} onValue=${(text) => text && choose(new Date(text).getTime())} /></div>
    <${Facts} rows=${[["Then", known], ["Now", `${plural(table.ItemCount, "item")}, ${bytes(table.TableSizeBytes)}`]]} />
    ${!readOnly && html`<div class="row"><${Button} kind="primary" onClick=${open}>Restore this state …<//></div>`}<//>`;
}
