// The stream of a table: its shards, its records as they come or again, and who reads it.
import { html, useEffect, useMemo, useRef, useState } from "../vendor/ui.js";
import { ask, call, scope } from "../api.js";
import { address, Badge, Button, Choice, Copy, count, Empty, ErrorBox, Link, Loading, plural, tablePath, Text, Time, useLoaded, useValue } from "../parts.js";
import { describe } from "../definition.js";
import { setQuery, usePolled } from "../lists.js";
import { visible } from "../json.js";
import { Difference } from "../staged.js";
import { filterFault, isOpen, LATEST, matchesFilter, shardOf, START, streamOf, tail, treeOf } from "../tail.js";
import { dynamoText, keyText } from "../values.js";
import { TableHead } from "./head.js";

const KEPT_MAX = 2000;
const SHOWN_MAX = 200;
const CONSUMERS_SECONDS = 5;
const KINDS = { INSERT: "insert", MODIFY: "update", REMOVE: "delete" };

export default function Stream({ table: name }) {
  const { value: table, error } = useLoaded(() => describe(name), [name]);
  const enabled = table?.StreamSpecification?.StreamEnabled;
  return html`<${TableHead} name=${name} table=${table} page="stream" />
    <${ErrorBox} error=${error} />
    ${!table && !error && html`<${Loading} />`}
    ${table && !table.LatestStreamArn && html`<${Empty} title="This table has no stream" command=${`aws dynamodb update-table --table-name ${name} --stream-specification StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES --endpoint-url ${location.origin}`}>
      <p>A stream has each change of an item, for 24 hours. Enable it in the <${Link} to=${tablePath(name, "settings")}>settings<//>, or:</p><//>`}
    ${table?.LatestStreamArn && html`<${StreamOf} key=${table.LatestStreamArn} table=${table} arn=${table.LatestStreamArn} enabled=${enabled} />`}`;
}

const newestFirst = ({ dynamodb: a }, { dynamodb: b }) => b.ApproximateCreationDateTime - a.ApproximateCreationDateTime || (BigInt(b.SequenceNumber) > BigInt(a.SequenceNumber) ? 1 : -1);

/** The records of a tail, newest first, and its state. */
function useTail(arn, from, paused) {
  const [state, set] = useState({ records: [] });
  const isPaused = useRef(paused);
  isPaused.current = paused;
  const text = JSON.stringify(from);
  useEffect(() => {
    const controller = new AbortController();
    set(({ stream }) => ({ records: [], stream }));
    if (from) {
      tail(arn, from, {
        signal: controller.signal,
        isPaused: () => isPaused.current || document.hidden,
        onBegun: () => !controller.signal.aborted && set((now) => ({ ...now, begun: true })),
        onShards: (stream) => !controller.signal.aborted && set((now) => ({ ...now, stream })),
        onRecords: (page) => set((now) => ({ ...now, seen: (now.seen ?? 0) + page.length, records: [...page, ...now.records].sort(newestFirst).slice(0, KEPT_MAX) })),
      }).catch((error) => !controller.signal.aborted && set((now) => ({ ...now, error })));
    }
    return () => controller.abort();
  }, [arn, text]);
  return state;
}

function StreamOf({ table, arn, enabled }) {
  const { query } = useValue(address);
  const name = table.TableName;
  const asked = query.get("from") ?? LATEST;
  const type = query.get("type") ?? "";
  const filter = query.get("match") ?? "";
  const [paused, pause] = useState(false);
  const [turn, again] = useState(0);
  const { value: first, error } = useLoaded(() => streamOf(arn), [arn]);
  const from = useMemo(() => {
    if (!first) return null;
    if ([LATEST, START].includes(asked)) return asked === LATEST ? LATEST : START;
    const shard = /^\d{1,60}$/.test(asked) && shardOf(first.Shards, asked);
    return shard ? { shard: shard.ShardId, number: asked, turn } : null;
  }, [first, asked, turn]);
  const { stream = first, records, begun, seen = 0, error: fault } = useTail(arn, from, paused);
  const change = (parts) => setQuery(parts, { replace: true });
  const shown = records.filter((each) => (!type || each.eventName === type) && matchesFilter(each, filter));
  if (!stream) return html`<${ErrorBox} error=${error} />${!error && html`<${Loading} />`}`;
  return html`
    <div class="toolbar"><${Badge} kind=${enabled ? "on" : "warn"}>${enabled ? stream.StreamViewType.toLowerCase().replaceAll("_", " ") : "disabled, readable for 24 hours"}<//>
      <span class="muted">since <${Time} at=${stream.CreationRequestDateTime} /></span><${Copy} text=${arn} label="Copy ARN" /></div>
    <div class="cards wide-cards">
      <${Shards} shards=${stream.Shards} replay=${(number) => { change({ from: number }); again(turn + 1); }} />
      <${Consumers} name=${name} arn=${arn} shards=${stream.Shards} />
    </div>
    <section class="card" aria-label="Records">
      <div class="row"><h2>Records</h2><span class="muted" role="status">${paused ? "Paused" : "Reading"} · ${plural(seen, "record")} read${shown.length === records.length ? "" : ` · ${count(shown.length)} match`}</span><div class="spacer"></div>
        <${Button} aria-pressed=${paused} onClick=${() => pause(!paused)}>${paused ? "Go on" : "Pause"}<//></div>
      <${From} asked=${asked} unknown=${Boolean(first) && from === null} change=${change} />
      <div class="fields filter">
        <${Choice} aria-label="Type of change" value=${type} onValue=${(value) => change({ type: value })} options=${[["", "all changes"], ["INSERT", "inserts"], ["MODIFY", "updates"], ["REMOVE", "deletes"]]} />
        <input type="search" aria-label="Text or pattern" placeholder=${'Text, or {"dynamodb": {"NewImage": {"status": {"S": ["open"]}}}}'} value=${filter} aria-invalid=${filterFault(filter) ? "true" : undefined} onInput=${(event) => change({ match: event.target.value })} />
      </div>
      ${filterFault(filter) && html`<p class="fault" role="alert">${filterFault(filter)}</p>`}
      <${ErrorBox} error=${fault ?? error} />
      ${shown.length ? html`<ul class="records">${shown.slice(0, SHOWN_MAX).map((each) => html`<${Row} key=${each.dynamodb.SequenceNumber} record=${each} schema=${table.KeySchema} replay=${(number) => { change({ from: number }); again(turn + 1); }} />`)}</ul>` : html`<p class="muted">${records.length ? "No record matches." : !begun ? "Beginning to read …" : asked === LATEST ? "Waiting for changes: write an item, and it is here within a second." : "No record yet."}</p>`}
      ${shown.length > SHOWN_MAX && html`<p class="muted">The newest ${SHOWN_MAX} of ${count(shown.length)} are shown.</p>`}
    </section>`;
}

/** Where the records begin: now, at the oldest, or at one. */
function From({ asked, unknown, change }) {
  const isNumber = ![LATEST, START].includes(asked);
  const [number, type] = useState(isNumber ? asked : "");
  useEffect(() => { if (isNumber) type(asked); }, [asked]);
  return html`<form class="fields" onSubmit=${(event) => { event.preventDefault(); change({ from: number }); }}>
    <div class="row" role="group" aria-label="Read from"><${Button} kind=${asked === LATEST ? "primary" : ""} aria-pressed=${asked === LATEST} onClick=${() => change({ from: "" })}>From now on<//>
      <${Button} kind=${asked === START ? "primary" : ""} aria-pressed=${asked === START} onClick=${() => change({ from: START })}>All, from the oldest<//></div>
    <${Text} label="From a sequence number" value=${number} onValue=${type} inputmode="numeric" fault=${unknown ? "no shard of this stream has it" : undefined} />
    <button type="submit" class="button" disabled=${!/^\d{1,60}$/.test(number)}>Replay</button>
  </form>`;
}

function Row({ record, schema, replay }) {
  const { dynamodb: data, eventName } = record;
  const before = data.OldImage;
  const after = data.NewImage;
  const expired = record.userIdentity?.principalId === "dynamodb.amazonaws.com";
  const image = (title, item) => item && html`<div><h3>${title}</h3><pre>${visible(dynamoText(item)).replaceAll("␊", "\n")}</pre></div>`;
  const [open, change] = useState(false);
  return html`<li><details onToggle=${(event) => change(event.target.open)}><summary><span class=${`badge ${KINDS[eventName]}`}>${eventName}</span> <strong class="mono">${keyText(data.Keys, schema)}</strong>
      ${expired && html`<${Badge} title="Deleted for its time to live">expired<//>`} <span class="muted"><${Time} at=${data.ApproximateCreationDateTime} /></span>
      ${(before || after) && html`<${Difference} change=${{ before: before ?? data.Keys, after: after ?? data.Keys }} />`}</summary>
    ${open && html`<div class="grid2">${image("Before", before)}${image("After", after)}${!before && !after && html`<p class="muted">This stream has the keys only.</p>`}</div>
      <div class="row muted"><span>Sequence number <code>${data.SequenceNumber}</code> · ${record.shard} · ${count(data.SizeBytes)} bytes</span><${Copy} text=${data.SequenceNumber} label="Copy number" /><${Button} kind="quiet small" onClick=${() => replay(data.SequenceNumber)}>Replay from here<//></div>`}</details></li>`;
}

/* Shards */

function Shards({ shards, replay }) {
  const open = shards.filter(isOpen).length;
  const tree = useMemo(() => treeOf(shards), [shards]);
  const branch = (nodes) => html`<ul>${nodes.map(({ shard, children }) => html`<li key=${shard.ShardId}>
    <div class="row"><${Badge} kind=${isOpen(shard) ? "ok" : ""}>${isOpen(shard) ? "open" : "closed"}<//> <code class="cut" title=${shard.ShardId}>${shard.ShardId}</code>
      <${Button} kind="quiet small" aria-label=${`Replay ${shard.ShardId}`} onClick=${() => replay(shard.SequenceNumberRange.StartingSequenceNumber)}>Replay<//></div>
    ${children.length > 0 && branch(children)}</li>`)}</ul>`;
  return html`<section class="card shards" aria-label="Shards"><h2>Shards</h2><p class="muted">${plural(shards.length, "shard")}, ${open} open. A closed shard is followed by its children.</p>
    <div class="scroll-y" tabindex="0" role="region" aria-label="Tree of shards">${branch(tree)}</div></section>`;
}

/* Consumers */

function Consumers({ name, arn, shards }) {
  const { query } = useValue(address);
  const elsewhere = useValue(scope).endpoint;
  const { value, error } = usePolled(async () => (elsewhere ? undefined : (await ask("stream", { TableName: name })).triggers), [name, elsewhere], CONSUMERS_SECONDS);
  return html`<section class="card" aria-label="Consumers"><h2>Consumers</h2>
    <h3>Triggers</h3>
    <${ErrorBox} error=${error} />
    ${elsewhere && html`<p class="muted">Triggers are known for this server only.</p>`}
    ${value?.length === 0 && html`<p class="muted">No trigger delivers this stream. A file of <code>--triggers</code> names functions that get its records.</p>`}
    ${value?.length > 0 && html`<div class="scroll" tabindex="0" role="region" aria-label="Triggers"><table class="list"><thead><tr><th scope="col">Trigger</th>${["Delivered", "Failed calls", "Given up", "Lag"].map((each) => html`<th scope="col" class="number">${each}</th>`)}</tr></thead>
      <tbody>${value.map((each) => html`<tr><th scope="row">${each.name}</th><td class="number">${count(each.delivered)}</td><td class=${`number ${each.failures ? "fault" : ""}`}>${count(each.failures)}</td><td class=${`number ${each.given_up ? "fault" : ""}`}>${count(each.given_up)}</td><td class="number">${Math.round(each.lag_seconds)} s</td></tr>`)}</tbody></table></div>
      <p class="muted">Since the server started. A failed call is sent again until its records are delivered or given up.</p>`}
    <h3>Kinesis Client Library</h3>
    <${Leases} table=${query.get("leases") ?? ""} arn=${arn} shards=${shards} />
  </section>`;
}

/** The leases of an application of the Kinesis Client Library, with the age of what each reads next. */
async function leasesOf(table, arn, shards) {
  if (!table) return [];
  const { Items: items } = await call("Scan", { TableName: table, Limit: 200 });
  const known = new Set(shards.map((each) => each.ShardId));
  const own = items.filter((each) => known.has(each.leaseKey?.S));
  return Promise.all(own.map(async (each) => {
    const shard = each.leaseKey.S;
    const checkpoint = each.checkpoint?.S;
    const found = { shard, checkpoint, owner: each.leaseOwner?.S };
    if (checkpoint === "SHARD_END") return { ...found, age: 0 };
    const after = /^\d+$/.test(checkpoint ?? "");
    const start = after ? { ShardIteratorType: "AFTER_SEQUENCE_NUMBER", SequenceNumber: checkpoint } : { ShardIteratorType: "TRIM_HORIZON" };
    const { ShardIterator: iterator } = await call("GetShardIterator", { StreamArn: arn, ShardId: shard, ...start });
    const [next] = (await call("GetRecords", { ShardIterator: iterator, Limit: 1 })).Records;
    return { ...found, age: next ? Math.max(0, Date.now() / 1000 - next.dynamodb.ApproximateCreationDateTime) : 0 };
  }));
}

function Leases({ table, arn, shards }) {
  const [typed, type] = useState(table);
  const { value, error, again, loading } = useLoaded(() => leasesOf(table, arn, shards), [table, arn]);
  const show = (event) => {
    event.preventDefault();
    setQuery({ leases: typed }, { replace: true });
    if (typed === table) again();
  };
  return html`<form class="fields" onSubmit=${show}><${Text} label="Lease table of the application" value=${typed} onValue=${type} /><button type="submit" class="button">Show ages</button></form>
    <${ErrorBox} error=${error} />
    ${table && value && !value.length && !loading && html`<p class="muted">${table} has no lease of a shard of this stream.</p>`}
    ${value?.length > 0 && html`<div class="scroll" tabindex="0" role="region" aria-label="Leases"><table class="list"><thead><tr><th scope="col">Shard</th><th scope="col">Owner</th><th scope="col" class="number">Iterator age</th></tr></thead>
      <tbody>${value.map((each) => html`<tr><th scope="row" class="cut" title=${each.shard}>${each.shard}</th><td class="cut">${each.owner ?? "–"}</td><td class="number" title=${each.checkpoint}>${each.checkpoint === "SHARD_END" ? "read to its end" : `${Math.round(each.age)} s`}</td></tr>`)}</tbody></table></div>`}`;
}
