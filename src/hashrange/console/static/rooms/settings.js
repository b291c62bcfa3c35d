// The settings of a table: each of them with its change, its indexes and tags, and the whole as JSON.
import { html, useState } from "../vendor/ui.js";
import { call, session } from "../api.js";
import { Badge, Button, bytes, Check, Confirm, Copy, count, Dialog, ErrorBox, go, Loading, plural, Select, Text, Time, toast, useLoaded, useValue } from "../parts.js";
import { awaited, CLASSES, describe, emptyIndex, indexOf, modeOf, recoveryOf, requestLike, ttlOf, VIEWS } from "../definition.js";
import { IndexFields } from "./create.js";
import { TableHead } from "./head.js";
import { Clone, Purge } from "./tables.js";

const optional = (promise) => promise.catch(() => undefined);

async function load(name) {
  const table = await describe(name);
  const [ttl, recovery, tags] = await Promise.all([optional(ttlOf(name)), optional(recoveryOf(name)), optional(call("ListTagsOfResource", { ResourceArn: table.TableArn }))]);
  return { table, ttl, recovery, tags: tags?.Tags };
}

export default function Settings({ table: name }) {
  const { value, error, again } = useLoaded(() => load(name), [name]);
  const readOnly = useValue(session).console === "read-only";
  const [dialog, open] = useState(null);
  const done = () => {
    open(null);
    again();
  };
  const update = async (request) => {
    await call("UpdateTable", { TableName: name, ...request });
    await awaited(name);
    toast("Saved");
    again();
  };
  if (!value) return html`<${TableHead} name=${name} page="settings" /><${ErrorBox} error=${error} again=${again} />${!error && html`<${Loading} />`}`;
  const { table } = value;
  const props = { ...value, update, again, readOnly };
  return html`<${TableHead} name=${name} table=${table} page="settings" />
    <div class="cards">
      <${Facts} table=${table} />
      <${Capacity} ...${props} /><${Stream} ...${props} /><${Expiry} ...${props} /><${Recovery} ...${props} /><${Protection} ...${props} /><${Tags} ...${props} />
      <${Indexes} ...${props} open=${open} />
      <${Definition} table=${table} />
      ${!readOnly && html`<section class="card danger-zone"><h2>Whole table</h2><div class="row">
        <${Button} onClick=${() => open("clone")}>Clone …<//><${Button} kind="danger" onClick=${() => open("purge")}>Delete all items …<//><${Button} kind="danger" onClick=${() => open("delete")}>Delete the table …<//></div></section>`}
    </div>
    ${dialog === "clone" && html`<${Clone} table=${table} onClose=${() => open(null)} onDone=${done} />`}
    ${dialog === "purge" && html`<${Purge} tables=${[table]} onClose=${() => open(null)} onDone=${done} />`}
    ${dialog === "delete" && html`<${Confirm} title=${`Delete ${name}`} name=${name} action="Delete" onClose=${() => open(null)}
      lost=${html`<p>This cannot be undone: ${plural(table.ItemCount, "item")}, ${bytes(table.TableSizeBytes)}, with all indexes and streams.</p>`}
      onDone=${async () => { await call("DeleteTable", { TableName: name }); await awaited(name, (found) => !found); go("/tables"); toast(`${name} deleted`); }} />`}
    ${dialog?.units && html`<${IndexUnits} index=${dialog.units} onClose=${() => open(null)} onSave=${async (each) => { await update({ GlobalSecondaryIndexUpdates: [{ Update: each }] }); open(null); }} />`}
    ${dialog?.drop && html`<${Confirm} title=${`Delete the index ${dialog.drop}`} name=${dialog.drop} action="Delete the index" onClose=${() => open(null)}
      lost=${html`<p>Queries of this index will fail. The items of the table stay; the index can be built again from them.</p>`}
      onDone=${async () => { await update({ [dialog.member]: [{ Delete: { IndexName: dialog.drop } }] }); open(null); }} />`}`;
}

/** A card whose change is saved by one button, which shows errors. */
function Card({ title, children, onSave, readOnly, text = "Save" }) {
  const [state, set] = useState({});
  const save = async () => {
    set({ at: true });
    try {
      await onSave();
      set({});
    } catch (error) {
      set({ error });
    }
  };
  return html`<section class="card" aria-label=${title}><h2>${title}</h2>${children}
    ${onSave && !readOnly && html`<div class="row"><${Button} kind="small" disabled=${Boolean(state.at)} onClick=${save}>${state.at ? "Saving …" : text}<//></div>`}
    <${ErrorBox} error=${state.error} /></section>`;
}

function Facts({ table }) {
  const rows = [["ARN", html`<code class="cut">${table.TableArn}</code> <${Copy} text=${table.TableArn} />`], ["Key", table.KeySchema.map((each) => `${each.AttributeName} (${table.AttributeDefinitions.find((one) => one.AttributeName === each.AttributeName).AttributeType})`).join(" / ")],
    ["Items", `${count(table.ItemCount)}, ${bytes(table.TableSizeBytes)}`], ["Created", html`<${Time} at=${table.CreationDateTime} />`], ["Replicas", table.Replicas?.map((each) => `${each.RegionName} (${each.ReplicaStatus})`).join(", ") || "none"]];
  return html`<${Card} title="Table"><dl class="facts">${rows.map(([name, text]) => html`<dt>${name}</dt><dd>${text}</dd>`)}</dl><//>`;
}

const whole = (text) => Number.parseInt(text, 10);

function Capacity({ table, update, readOnly }) {
  const units = table.ProvisionedThroughput ?? {};
  const max = table.OnDemandThroughput ?? {};
  const text = (value) => (value > 0 ? String(value) : "");
  const [form, set] = useState({
    mode: modeOf(table), reads: text(units.ReadCapacityUnits) || "5", writes: text(units.WriteCapacityUnits) || "5", readsMax: text(max.MaxReadRequestUnits), writesMax: text(max.MaxWriteRequestUnits),
    tableClass: table.TableClassSummary?.TableClass ?? "STANDARD", warmReads: text(table.WarmThroughput?.ReadUnitsPerSecond), warmWrites: text(table.WarmThroughput?.WriteUnitsPerSecond),
  });
  const change = (part) => set({ ...form, ...part });
  const provisioned = form.mode === "PROVISIONED";
  const field = (member, label, hint) => html`<${Text} label=${label} hint=${hint} inputmode="numeric" value=${form[member]} disabled=${readOnly} onValue=${(value) => change({ [member]: value })} />`;
  const save = async () => {
    const request = {};
    if (form.mode !== modeOf(table)) request.BillingMode = form.mode;
    if (provisioned && (request.BillingMode || whole(form.reads) !== units.ReadCapacityUnits || whole(form.writes) !== units.WriteCapacityUnits)) {
      request.ProvisionedThroughput = { ReadCapacityUnits: whole(form.reads), WriteCapacityUnits: whole(form.writes) };
      if (request.BillingMode && table.GlobalSecondaryIndexes) request.GlobalSecondaryIndexUpdates = table.GlobalSecondaryIndexes.map(({ IndexName }) => ({ Update: { IndexName, ProvisionedThroughput: request.ProvisionedThroughput } }));
    }
    if (!provisioned && (form.readsMax !== text(max.MaxReadRequestUnits) || form.writesMax !== text(max.MaxWriteRequestUnits))) request.OnDemandThroughput = { MaxReadRequestUnits: whole(form.readsMax || "-1"), MaxWriteRequestUnits: whole(form.writesMax || "-1") };
    if (Object.keys(request).length) await update(request);
    if (form.tableClass !== (table.TableClassSummary?.TableClass ?? "STANDARD")) await update({ TableClass: form.tableClass });
    if (form.warmReads !== text(table.WarmThroughput?.ReadUnitsPerSecond) || form.warmWrites !== text(table.WarmThroughput?.WriteUnitsPerSecond)) await update({ WarmThroughput: { ReadUnitsPerSecond: whole(form.warmReads), WriteUnitsPerSecond: whole(form.warmWrites) } });
  };
  return html`<${Card} title="Capacity" onSave=${save} readOnly=${readOnly}><div class="grid2">
    <${Select} label="Capacity mode" options=${[["PAY_PER_REQUEST", "On demand"], ["PROVISIONED", "Provisioned"]]} value=${form.mode} onValue=${(mode) => change({ mode })} disabled=${readOnly} />
    <${Select} label="Table class" options=${CLASSES} value=${form.tableClass} onValue=${(tableClass) => change({ tableClass })} disabled=${readOnly} />
    ${provisioned ? html`${field("reads", "Read units")}${field("writes", "Write units")}` : html`${field("readsMax", "Most read units a second", "Empty: no limit")}${field("writesMax", "Most write units a second", "Empty: no limit")}`}
    ${field("warmReads", "Warm read units a second")}${field("warmWrites", "Warm write units a second")}
  </div><//>`;
}

function Stream({ table, update, readOnly }) {
  const now = table.StreamSpecification?.StreamEnabled ? table.StreamSpecification.StreamViewType : "";
  const [view, set] = useState(now);
  const save = async () => {
    if (view === now) return;
    if (now) await update({ StreamSpecification: { StreamEnabled: false } });
    if (view) await update({ StreamSpecification: { StreamEnabled: true, StreamViewType: view } });
  };
  return html`<${Card} title="Stream" onSave=${save} readOnly=${readOnly}><${Select} label="Records have" options=${VIEWS} value=${view} onValue=${set} disabled=${readOnly} hint=${now && view !== now ? "A new stream begins; the records of the old one stay for a day" : ""} />
    ${table.LatestStreamArn && html`<p class="muted cut" title=${table.LatestStreamArn}>${table.LatestStreamArn}</p>`}<//>`;
}

function Expiry({ table, ttl, again, readOnly }) {
  const now = ttl?.TimeToLiveStatus === "ENABLED" ? ttl.AttributeName : "";
  const [name, set] = useState(now);
  const save = async () => {
    if (name === now) return;
    const specify = (Enabled, AttributeName) => call("UpdateTimeToLive", { TableName: table.TableName, TimeToLiveSpecification: { Enabled, AttributeName } });
    if (now) await specify(false, now);
    if (name) await specify(true, name);
    toast("Saved");
    again();
  };
  return html`<${Card} title="Time to live" onSave=${save} readOnly=${readOnly}><${Text} label="Attribute with the expiry, in seconds since 1970" hint="Empty: items do not expire" value=${name} onValue=${set} disabled=${readOnly} /><//>`;
}

function Recovery({ table, recovery, again, readOnly }) {
  const now = recovery?.PointInTimeRecoveryStatus === "ENABLED";
  const [on, set] = useState(now);
  const save = async () => {
    await call("UpdateContinuousBackups", { TableName: table.TableName, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: on } });
    toast("Saved");
    again();
  };
  return html`<${Card} title="Point-in-time recovery" onSave=${save} readOnly=${readOnly}><${Check} label="On" value=${on} onValue=${set} disabled=${readOnly} hint=${now && !on ? "All earlier states will be lost" : ""} />
    ${now && html`<p class="muted">From <${Time} at=${recovery.EarliestRestorableDateTime} /> to <${Time} at=${recovery.LatestRestorableDateTime} /></p>`}<//>`;
}

function Protection({ table, update, readOnly }) {
  const [on, set] = useState(Boolean(table.DeletionProtectionEnabled));
  return html`<${Card} title="Protection from deletion" onSave=${() => update({ DeletionProtectionEnabled: on })} readOnly=${readOnly}><${Check} label="On" value=${on} onValue=${set} disabled=${readOnly} hint="DeleteTable is refused while it is on" /><//>`;
}

function Tags({ table, tags, again, readOnly }) {
  const [list, set] = useState((tags ?? []).map(({ Key, Value }) => ({ key: Key, value: Value })));
  const change = (at, part) => set(list.map((each, other) => (other === at ? { ...each, ...part } : each)));
  const save = async () => {
    const kept = list.filter((each) => each.key);
    const gone = (tags ?? []).map((each) => each.Key).filter((key) => !kept.some((each) => each.key === key));
    if (gone.length) await call("UntagResource", { ResourceArn: table.TableArn, TagKeys: gone });
    if (kept.length) await call("TagResource", { ResourceArn: table.TableArn, Tags: kept.map(({ key, value }) => ({ Key: key, Value: value })) });
    toast("Saved");
    again();
  };
  if (!tags) return null;
  return html`<${Card} title="Tags" onSave=${save} readOnly=${readOnly}>${list.map((tag, at) => html`<div class="row">
    <input aria-label=${`Tag ${at + 1}: key`} value=${tag.key} disabled=${readOnly} onInput=${(event) => change(at, { key: event.target.value })} /><input aria-label=${`Tag ${at + 1}: value`} value=${tag.value} disabled=${readOnly} onInput=${(event) => change(at, { value: event.target.value })} />
    ${!readOnly && html`<${Button} kind="quiet small" aria-label=${`Remove tag ${at + 1}`} onClick=${() => set(list.filter((_, other) => other !== at))}>✕<//>`}</div>`)}
    ${!list.length && html`<p class="muted">None.</p>`}${!readOnly && html`<${Button} kind="quiet small" onClick=${() => set([...list, { key: "", value: "" }])}>+ tag<//>`}<//>`;
}

function Indexes({ table, update, readOnly, open }) {
  const [fresh, set] = useState(null);
  const kinds = [["global", table.GlobalSecondaryIndexes, "GlobalSecondaryIndexUpdates"], ["local", table.LocalSecondaryIndexes, ""], ["vector", table.VectorIndexes, "VectorIndexUpdates"]];
  const rows = kinds.flatMap(([kind, found, member]) => (found ?? []).map((each) => ({ ...each, kind, member })));
  const save = async () => {
    const types = Object.fromEntries(table.AttributeDefinitions.map((each) => [each.AttributeName, each.AttributeType]));
    for (const { name, type } of [...fresh.hash, ...fresh.range]) types[name] = type;
    await update({
      AttributeDefinitions: Object.entries(types).map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
      GlobalSecondaryIndexUpdates: [{ Create: indexOf(fresh, modeOf(table)) }],
    });
    set(null);
  };
  return html`<${Card} title="Indexes" onSave=${fresh && save} text="Create the index" readOnly=${readOnly}>
    ${rows.length > 0 && html`<div class="scroll" tabindex="0" role="region" aria-label="Indexes of the table"><table class="list"><thead><tr>${["Name", "Kind", "Key", "Projection", "Items", "Size", "Status"].map((each) => html`<th scope="col">${each}</th>`)}<th><span class="hidden">Actions</span></th></tr></thead>
      <tbody>${rows.map((index) => html`<tr key=${index.IndexName}><th scope="row">${index.IndexName}</th><td>${index.kind}</td><td class="mono">${index.KeySchema ? index.KeySchema.map((each) => each.AttributeName).join(" / ") : `${index.VectorAttribute.AttributeName}, ${index.Dimensions} × ${index.DistanceFunction}`}</td>
        <td>${index.Projection.ProjectionType}${index.Projection.NonKeyAttributes ? `: ${index.Projection.NonKeyAttributes.join(", ")}` : ""}</td><td class="number">${count(index.ItemCount)}</td><td class="number">${bytes(index.IndexSizeBytes)}</td>
        <td>${index.IndexStatus && html`<${Badge} kind=${index.IndexStatus === "ACTIVE" ? "ok" : "warn"}>${index.IndexStatus}<//>`}</td>
        <td>${index.ProvisionedThroughput?.ReadCapacityUnits > 0 && !readOnly && html`<${Button} kind="quiet small" aria-label=${`Units of the index ${index.IndexName}`} onClick=${() => open({ units: index })}>Units …<//>`}${index.member && !readOnly && html`<${Button} kind="quiet small" aria-label=${`Delete the index ${index.IndexName}`} onClick=${() => open({ drop: index.IndexName, member: index.member })}>Delete …<//>`}</td></tr>`)}</tbody></table></div>`}
    ${!rows.length && html`<p class="muted">None.</p>`}
    ${fresh ? html`<${IndexFields} index=${fresh} provisioned=${modeOf(table) === "PROVISIONED"} onIndex=${set} onRemove=${() => set(null)} />` : !readOnly && html`<${Button} kind="quiet small" onClick=${() => set(emptyIndex("global"))}>+ Global index<//>`}<//>`;
}

/** The provisioned units of a global index. */
function IndexUnits({ index: { IndexName, ProvisionedThroughput: units }, onSave, onClose }) {
  const [form, set] = useState({ reads: String(units.ReadCapacityUnits), writes: String(units.WriteCapacityUnits) });
  const [error, fail] = useState(null);
  const act = () => onSave({ IndexName, ProvisionedThroughput: { ReadCapacityUnits: whole(form.reads), WriteCapacityUnits: whole(form.writes) } }).catch(fail);
  return html`<${Dialog} title=${`Units of ${IndexName}`} onClose=${onClose} actions=${html`<${Button} onClick=${onClose}>Cancel<//><${Button} kind="primary" onClick=${act}>Save<//>`}>
    <div class="grid2"><${Text} label="Read units" inputmode="numeric" value=${form.reads} onValue=${(reads) => set({ ...form, reads })} autofocus /><${Text} label="Write units" inputmode="numeric" value=${form.writes} onValue=${(writes) => set({ ...form, writes })} /></div>
    <${ErrorBox} error=${error} /><//>`;
}

function Definition({ table }) {
  const text = JSON.stringify(requestLike(table, table.TableName), null, 2);
  return html`<section class="card" aria-label="Definition"><div class="row"><h2>Definition</h2><div class="spacer"></div><${Copy} text=${text} /></div>
    <p class="muted">As <code>aws dynamodb create-table --cli-input-json</code> takes it.</p><pre tabindex="0" aria-label="The definition in JSON"><code>${text}</code></pre></section>`;
}
