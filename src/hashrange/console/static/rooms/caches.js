// DAX clusters: their nodes and hit rates, parameter groups, and events.
import { html, useState } from "../vendor/ui.js";
import { all, ask, call, scope, session } from "../api.js";
import { address, Badge, Button, bytes, Confirm, Copy, Dialog, Empty, ErrorBox, Link, Loading, Menu, plural, Select, Tabs, Text, Time, toast, useLoaded, useValue } from "../parts.js";
import { Facts, Panel, Rows, setQuery, share, usePolled } from "../lists.js";

const VIEWS = [["clusters", "Clusters"], ["parameters", "Parameter groups"], ["events", "Events"]];
const CACHES = [["item", "Items found"], ["query", "Queries found"], ["scan", "Scans found"]];
const SECONDS = 3;
const NODES_MAX = 10;

const listClusters = () => all("dax:DescribeClusters", {}, "Clusters", "NextToken", "NextToken");
const listGroups = () => all("dax:DescribeParameterGroups", {}, "ParameterGroups", "NextToken", "NextToken");

/** Clusters, and the figures of the server; a user who may not see these gets the clusters alone. */
async function load() {
  const [clusters, figures] = await Promise.all([listClusters(), ask("server").then((state) => state.figures, () => undefined)]);
  return { clusters, figures };
}

export default function Caches() {
  const { query } = useValue(address);
  const view = query.get("view") || "clusters";
  return html`<div class="head"><h1>Caches</h1><${Tabs} label="Parts of caches" tabs=${VIEWS} value=${view} onValue=${(to) => setQuery({ view: to === "clusters" ? "" : to })} /></div>
    ${view === "clusters" && html`<${Clusters} />`}${view === "parameters" && html`<${Groups} />`}${view === "events" && html`<${Events} />`}`;
}

/** Hits and all reads of the caches of a cluster; undefined if the figures are not known. */
function usesOf(cluster, figures, kind) {
  if (!figures) return undefined;
  const [, , , region, account] = cluster.ClusterArn.split(":");
  const at = (name) => figures[`dax_cluster_cache_${name}_total@${account}@${region}@${cluster.ClusterName}@${kind}`] ?? 0;
  return { hits: at("hits"), reads: at("hits") + at("misses") };
}

function Clusters() {
  const readOnly = useValue(session).console === "read-only";
  const { value, error, again } = usePolled(load, [], SECONDS);
  const [dialog, open] = useState(null);
  const done = (text) => {
    open(null);
    again();
    toast(text);
  };
  const clusters = value?.clusters ?? [];
  return html`<div class="toolbar"><span class="muted">${value && plural(clusters.length, "cluster")}</span><div class="spacer"></div>${!readOnly && html`<${Button} kind="primary" onClick=${() => open({ create: true })}>Create cluster<//>`}</div>
    <${ErrorBox} error=${error} again=${again} />${!value && !error && html`<${Loading} />`}
    ${value && !clusters.length && html`<${Empty} title="No clusters yet" command=${`aws dax create-cluster --cluster-name cache --node-type dax.t3.small --replication-factor 1 --iam-role-arn arn:aws:iam::000000000000:role/dax --endpoint-url ${location.origin}`}><p>A cluster of DAX answers repeated reads from its memory. Create one here, or with this command. One endpoint without clusters is <code>--dax-port</code>.</p><//>`}
    <div class="cards">${clusters.map((each) => html`<${Cluster} key=${each.ClusterName} cluster=${each} figures=${value.figures} open=${open} readOnly=${readOnly} />`)}</div>
    ${dialog?.create && html`<${Create} onClose=${() => open(null)} onDone=${done} />`}
    ${dialog?.nodes && html`<${Nodes} cluster=${dialog.nodes} onClose=${() => open(null)} onDone=${done} />`}
    ${dialog?.drop && html`<${Confirm} title=${`Delete the cluster ${dialog.drop.ClusterName}`} name=${dialog.drop.ClusterName} action="Delete" onClose=${() => open(null)}
      lost=${html`<p>Its ${plural(dialog.drop.TotalNodes, "node")} stop, what they have cached is lost, and clients with its address fail. The tables stay.</p>`}
      onDone=${async () => { await call("dax:DeleteCluster", { ClusterName: dialog.drop.ClusterName }); done(`${dialog.drop.ClusterName} is being deleted`); }} />`}`;
}

function Cluster({ cluster, figures, open, readOnly }) {
  const url = cluster.ClusterDiscoveryEndpoint?.URL;
  const [, , , region, account] = cluster.ClusterArn.split(":");
  const size = figures?.[`dax_cluster_cache_bytes@${account}@${region}@${cluster.ClusterName}`];
  const rate = (kind) => {
    const uses = usesOf(cluster, figures, kind);
    if (!uses?.reads) return html`<span class="muted">${uses ? "no reads yet" : "needs hashrange:DescribeServer"}</span>`;
    return html`${share(uses.hits / uses.reads)} <span class="muted">of ${plural(uses.reads, "read")}</span> <meter aria-label=${`Hit rate of the ${kind} cache`} min="0" max="1" value=${uses.hits / uses.reads}></meter>`;
  };
  const busy = cluster.Status !== "available";
  return html`<${Panel} title=${cluster.ClusterName} actions=${html`<${Badge} kind=${busy ? "warn" : "ok"}>${cluster.Status}<//>${!readOnly && html`<${Menu} kind="quiet small" label=${html`<span aria-label=${`Actions of ${cluster.ClusterName}`}>⋯</span>`} items=${[{ text: "Nodes …", disabled: busy, run: () => open({ nodes: cluster }) }, { text: "Delete …", danger: true, disabled: busy, run: () => open({ drop: cluster }) }]} />`}`}>
    <${Facts} rows=${[["Endpoint", url ? html`<code>${url}</code> <${Copy} text=${url} />` : "–"], ...CACHES.map(([kind, text]) => [text, rate(kind)]), size !== undefined && ["Cached", bytes(size)],
      ["Parameters", html`<${Link} to=${`/caches?${new URLSearchParams({ view: "parameters", name: cluster.ParameterGroup.ParameterGroupName })}`}>${cluster.ParameterGroup.ParameterGroupName}<//> <span class="muted">${cluster.ParameterGroup.ParameterApplyStatus}</span>`], ["Role", html`<code>${cluster.IamRoleArn}</code>`]]} />
    <ul class="lines" aria-label=${`Nodes of ${cluster.ClusterName}`}>${(cluster.Nodes ?? []).map((node) => html`<li key=${node.NodeId}><${Badge} kind=${node.NodeStatus === "available" ? "ok" : "warn"}>${node.NodeStatus}<//><span>${node.NodeId}</span><code class="muted">${node.Endpoint?.Port ?? ""}</code><div class="spacer"></div>
      ${!readOnly && html`<${Button} kind="quiet small" aria-label=${`Restart ${node.NodeId}`} disabled=${busy} onClick=${() => call("dax:RebootNode", { ClusterName: cluster.ClusterName, NodeId: node.NodeId }).then(() => toast(`${node.NodeId} restarts`), (error) => toast(error.message))}>Restart<//>`}</li>`)}</ul><//>`;
}

function Create({ onClose, onDone }) {
  const account = scope.value.account || session.value.principal?.account || "000000000000";
  const [form, change] = useState({ name: "", nodes: "1", type: "dax.t3.small", role: `arn:aws:iam::${account}:role/dax`, group: "" });
  const [error, fail] = useState(null);
  const { value: groups = [] } = useLoaded(listGroups, []);
  const field = (name) => ({ value: form[name], onValue: (text) => change({ ...form, [name]: text }) });
  const act = () => call("dax:CreateCluster", { ClusterName: form.name, NodeType: form.type, ReplicationFactor: Number(form.nodes), IamRoleArn: form.role, ...(form.group ? { ParameterGroupName: form.group } : {}) }).then(() => onDone(`${form.name} is being created`), fail);
  return html`<${Dialog} title="Create a cluster" onClose=${onClose} actions=${html`<${Button} onClick=${onClose}>Cancel<//><${Button} kind="primary" disabled=${!form.name} onClick=${act}>Create<//>`}>
    <${Text} label="Name" autofocus ...${field("name")} /><div class="grid2"><${Text} label="Nodes" inputmode="numeric" ...${field("nodes")} /><${Text} label="Node type" hint="A name only: all nodes are ports of the server" ...${field("type")} /></div>
    <${Text} label="Role that the cluster assumes" ...${field("role")} /><${Select} label="Parameter group" options=${[["", "the default"], ...groups.map((each) => each.ParameterGroupName)]} ...${field("group")} /><${ErrorBox} error=${error} /><//>`;
}

function Nodes({ cluster, onClose, onDone }) {
  const [text, change] = useState(String(cluster.TotalNodes));
  const [error, fail] = useState(null);
  const wanted = Number(text);
  const right = Number.isInteger(wanted) && wanted > 0 && wanted <= NODES_MAX && wanted !== cluster.TotalNodes;
  const act = () => call(wanted > cluster.TotalNodes ? "dax:IncreaseReplicationFactor" : "dax:DecreaseReplicationFactor", { ClusterName: cluster.ClusterName, NewReplicationFactor: wanted }).then(() => onDone("The nodes change"), fail);
  return html`<${Dialog} title=${`Nodes of ${cluster.ClusterName}`} onClose=${onClose} actions=${html`<${Button} onClick=${onClose}>Cancel<//><${Button} kind="primary" disabled=${!right} onClick=${act}>Change<//>`}>
    <${Text} label="Number of nodes" inputmode="numeric" value=${text} onValue=${change} hint=${`Now ${cluster.TotalNodes}; 1 to ${NODES_MAX}. Clients of a node that is removed connect to another one.`} autofocus /><${ErrorBox} error=${error} /><//>`;
}

/* Parameter groups */

async function loadGroup(name) {
  return { parameters: await all("dax:DescribeParameters", { ParameterGroupName: name }, "Parameters", "NextToken", "NextToken") };
}

function Groups() {
  const { query } = useValue(address);
  const readOnly = useValue(session).console === "read-only";
  const { value: groups, error, again } = useLoaded(listGroups, []);
  const [fresh, create] = useState(null);
  const [refusal, fail] = useState(null);
  const name = query.get("name");
  const make = () => call("dax:CreateParameterGroup", { ParameterGroupName: fresh }).then(() => { create(null); again(); setQuery({ name: fresh }); }, fail);
  return html`<div class="toolbar"><div class="spacer"></div>${!readOnly && html`<${Button} kind="primary" onClick=${() => { fail(null); create(""); }}>Create parameter group<//>`}</div>
    <${ErrorBox} error=${error} again=${again} />${!groups && !error && html`<${Loading} />`}
    ${groups?.length > 0 && html`<${Rows} label="Parameter groups" head=${["Group", "Description"]}>${groups.map((each) => html`<tr key=${each.ParameterGroupName} aria-selected=${each.ParameterGroupName === name || undefined}><th scope="row"><button type="button" class="link" onClick=${() => setQuery({ name: each.ParameterGroupName })}>${each.ParameterGroupName}</button></th><td>${each.Description || html`<span class="muted">–</span>`}</td></tr>`)}<//>`}
    ${name && html`<${Group} key=${name} name=${name} readOnly=${readOnly || name.startsWith("default.")} onGone=${() => { setQuery({ name: "" }); again(); }} />`}
    ${fresh !== null && html`<${Dialog} title="Create a parameter group" onClose=${() => create(null)} actions=${html`<${Button} onClick=${() => create(null)}>Cancel<//><${Button} kind="primary" disabled=${!fresh} onClick=${make}>Create<//>`}><${Text} label="Name" value=${fresh} onValue=${create} autofocus /><${ErrorBox} error=${refusal} /><//>`}`;
}

function Group({ name, readOnly, onGone }) {
  const { value, error, again } = useLoaded(() => loadGroup(name), [name]);
  const [changed, change] = useState({});
  const [state, set] = useState({});
  const save = async () => {
    try {
      await call("dax:UpdateParameterGroup", { ParameterGroupName: name, ParameterNameValues: Object.entries(changed).map(([ParameterName, ParameterValue]) => ({ ParameterName, ParameterValue })) });
      change({});
      set({});
      again();
      toast("Saved; it holds for what is cached from now on");
    } catch (refusal) {
      set({ error: refusal });
    }
  };
  return html`<${Panel} title=${`Parameters of ${name}`} wide actions=${!readOnly && html`<${Button} kind="small" disabled=${!Object.keys(changed).length} onClick=${save}>Save<//><${Button} kind="small danger" onClick=${() => set({ drop: true })}>Delete …<//>`}>
    <${ErrorBox} error=${error ?? state.error} />${value && html`<div class="grid2">${value.parameters.map((each) => html`<div key=${each.ParameterName}><${Text} label=${each.ParameterName} hint=${each.Description} disabled=${readOnly} value=${changed[each.ParameterName] ?? each.ParameterValue} onValue=${(text) => change({ ...changed, [each.ParameterName]: text })} /></div>`)}</div>`}
    ${state.drop && html`<${Confirm} title=${`Delete the parameter group ${name}`} name=${name} action="Delete" onClose=${() => set({})} lost=${html`<p>Its values are lost. The server refuses while a cluster uses it.</p>`} onDone=${async () => { await call("dax:DeleteParameterGroup", { ParameterGroupName: name }); onGone(); }} />`}<//>`;
}

function Events() {
  const { value: events, error, again } = useLoaded(() => all("dax:DescribeEvents", { Duration: 20160 }, "Events", "NextToken", "NextToken"), []);
  return html`<div class="toolbar"><div class="spacer"></div><${Button} onClick=${again} aria-label="Read again">↻<//></div><${ErrorBox} error=${error} again=${again} />${!events && !error && html`<${Loading} />`}
    ${events && !events.length && html`<${Empty} title="No events"><p>What happened to clusters within 14 days is shown here.</p><//>`}
    ${events?.length > 0 && html`<${Rows} label="Events" head=${["Time", "Of", "What happened"]}>${events.map((each) => html`<tr><td><${Time} at=${each.Date} /></td><th scope="row">${each.SourceName}</th><td class="said">${each.Message}</td></tr>`)}<//>`}`;
}
