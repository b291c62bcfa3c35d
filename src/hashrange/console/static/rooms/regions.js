// Regions: which are here, the servers of others and whether they are reached, replicas with their lag, strong tables.
import { html } from "../vendor/ui.js";
import { all, ask } from "../api.js";
import { Badge, count, Empty, ErrorBox, Link, Loading, plural, tablePath } from "../parts.js";
import { duration, Facts, Panel, Rows, usePolled } from "../lists.js";
import { describe } from "../definition.js";

const SECONDS = 2;
const TABLES_SECONDS = 10;
const TABLES_SHOWN = 200;

async function loadTables() {
  const names = await all("ListTables", {}, "TableNames", "LastEvaluatedTableName", "ExclusiveStartTableName");
  const found = await Promise.all(names.slice(0, TABLES_SHOWN).map((name) => describe(name).catch(() => undefined)));
  return found.filter((table) => table?.Replicas?.length || table?.GlobalTableWitnesses?.length);
}

/** The name of a table, and where, of its name in the whole catalog: `account:region:name`. */
const nameOf = (stored) => stored.split(":").pop();

/** The regions with a replica of a table, its own among them. */
const regionsOf = (table) => new Set([table.TableArn.split(":")[3], ...(table.Replicas ?? []).map((each) => each.RegionName)]);

export default function Regions() {
  const { value: state, error, again } = usePolled(() => ask("regions"), [], SECONDS);
  const { value: tables, error: refused } = usePolled(loadTables, [], TABLES_SECONDS);
  const none = state && !state.own.length && !state.peers.length;
  return html`<div class="head"><h1>Regions</h1></div>
    <${ErrorBox} error=${error ?? refused} again=${again} />${!state && !error && html`<${Loading} />`}
    ${none && html`<${Empty} title="This server has no regions" command="hashrange serve --regions us-east-1,eu-west-1,ap-south-1"><p>With regions, tables can have replicas and be strongly consistent across them. All can be in one server, or each in a server of its own with <code>--peer REGION=URL</code>.</p><//>`}
    ${state && !none && html`<div class="cards dense">
      ${state.own.map((region) => html`<${Panel} key=${region} title=${region} actions=${html`<${Badge} kind="ok">here<//>`}><${Facts} rows=${[["Replicas", tables ? count(tables.filter((table) => regionsOf(table).has(region)).length) : "–"], ["Strong tables", count(state.strong.filter((each) => each.region === region && each.table).length)], ["Leads", count(state.strong.filter((each) => each.region === region && each.leader === region).length)]]} /><//>`)}
      ${state.peers.map((peer) => html`<${Peer} key=${peer.region} peer=${peer} />`)}</div>`}
    ${state?.cuts && html`<ul class="notes" aria-label="Warnings"><li>Changes are kept from regions by --replication-cut ${state.cuts}</li></ul>`}
    ${tables?.length > 0 && html`<h2>Replicas</h2><${Rows} label="Replicas" head=${["Table", "Consistency", "Replicas", "Lag"]}>${tables.map((table) => html`<${Replicas} key=${table.TableName} table=${table} latencies=${state?.latencies ?? []} />`)}<//>${state && html`<p class="muted">${plural(state.lostChanges, "conflict")}: changes of other regions that arrived here after a later one had won.</p>`}`}
    ${tables && !tables.length && state && !none && html`<${Empty} title="No table has replicas" command=${`aws dynamodb update-table --table-name NAME --replica-updates 'Create={RegionName=${[...state.own, ...state.peers.map((each) => each.region)][1] ?? "eu-west-1"}}' --endpoint-url ${location.origin}`}><p>This command makes one:</p><//>`}
    ${state?.strong.length > 0 && html`<h2>Strong tables</h2><${Rows} label="Strong tables" head=${["Table", "Here", "Leader", "Members", ["Term", "number"], ["Entries", "number"]]}>${groupsOf(state.strong).map((each) => html`<${Strong} key=${each.group} group=${each} />`)}<//>
      <p class="muted">${plural(state.conflicts, "write")} of strong tables refused since another region wrote the item meanwhile.</p>`}`;
}

function Peer({ peer }) {
  const reached = peer.isOpen && !peer.awaySeconds;
  const state = reached ? "reached" : peer.awaySeconds ? `cut off for ${duration(peer.awaySeconds)}` : "cut off";
  return html`<${Panel} title=${peer.region} actions=${html`<${Badge} kind=${reached ? "ok" : "delete"}>${state}<//>`}><${Facts} rows=${[["Server", html`<code>${peer.address}</code>`], ["Lag", duration(peer.lagSeconds)], ["Changes sent", count(peer.changes)]]} />
    ${!reached && html`<p class="fault" role="alert">${peer.isOpen ? "The server answers, and replication does not reach it: see the log." : "No connection can be opened to the server. Changes wait for it here."}</p>`}<//>`;
}

function Replicas({ table, latencies }) {
  const lags = latencies.filter((each) => nameOf(each.table) === table.TableName);
  const strong = table.MultiRegionConsistency === "STRONG";
  const witnesses = table.GlobalTableWitnesses ?? [];
  return html`<tr><th scope="row" class="cut"><${Link} to=${tablePath(table.TableName, "settings")}>${table.TableName}<//></th><td>${strong ? "strong" : "eventual"}</td>
    <td>${(table.Replicas ?? []).map((each) => html`<${Badge} kind=${each.ReplicaStatus === "ACTIVE" ? "ok" : "warn"} title=${each.ReplicaStatus}>${each.RegionName}${each.ReplicaStatus === "ACTIVE" ? "" : `: ${each.ReplicaStatus}`}<//> `)}${witnesses.map((each) => html`<${Badge} title=${each.WitnessStatus}>${each.RegionName}: witness<//>`)}</td>
    <td>${lags.length ? lags.map((each) => `${each.region}: ${duration(each.seconds)}`).join(", ") : html`<span class="muted">${strong ? "none: one log" : "–"}</span>`}</td></tr>`;
}

/** The members of this server by group: what any of them knows. */
function groupsOf(members) {
  const found = Map.groupBy(members, (each) => each.group);
  return [...found.values()].map((those) => ({
    ...those[0],
    table: those.map((each) => each.table).find(Boolean),
    here: those.map((each) => each.region),
    leader: those.map((each) => each.leader).find(Boolean),
    silent: those.flatMap((each) => each.silent),
    term: Math.max(...those.map((each) => each.term)),
    entries: Math.max(...those.map((each) => each.entries)),
  }));
}

function Strong({ group }) {
  const kind = (region) => (group.silent.includes(region) ? "delete" : region === group.leader ? "on" : "ok");
  const text = (region) => `${region}${region === group.witness ? ", witness" : ""}${region === group.leader ? ", leads" : ""}${group.silent.includes(region) ? ", silent" : ""}`;
  return html`<tr><th scope="row" class="cut">${group.table ? nameOf(group.table) : html`<span class="muted">witness of a table elsewhere</span>`}</th><td>${group.here.join(", ")}</td>
    <td>${group.leader ?? html`<${Badge} kind="delete">no majority<//>`}</td><td>${group.members.map((region) => html`<${Badge} kind=${kind(region)}>${text(region)}<//> `)}</td><td class="number">${count(group.term)}</td><td class="number">${count(group.entries)}</td></tr>`;
}
