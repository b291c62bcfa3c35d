// The dialog that creates a table, with all options and what they cost.
import { html, useState } from "../vendor/ui.js";
import { Button, Check, Choice, Dialog, ErrorBox, go, Select, tablePath, Text, toast } from "../parts.js";
import { CLASSES, costText, create, createRequest, emptyForm, emptyIndex, emptyKey, faultsOfForm, INDEX_KEYS_MAX, KEY_TYPES, PROJECTIONS, VIEWS } from "../definition.js";

/** Attributes of a key, each with its type. */
export function Keys({ label, keys, onKeys, least, most }) {
  const change = (index, part) => onKeys(keys.map((each, at) => (at === index ? { ...each, ...part } : each)));
  return html`<fieldset class="keys"><legend>${label}</legend>
    ${keys.map((key, index) => html`<div class="row">
      <input aria-label=${`${label} ${keys.length > 1 ? index + 1 : ""}: attribute`} placeholder="attribute" value=${key.name} spellcheck=${false} autocomplete="off" onInput=${(event) => change(index, { name: event.target.value })} />
      <${Choice} aria-label=${`${label} ${keys.length > 1 ? index + 1 : ""}: type`} options=${KEY_TYPES} value=${key.type} onValue=${(type) => change(index, { type })} />
      ${keys.length > least && html`<${Button} kind="quiet small" aria-label=${`Remove ${key.name || label}`} onClick=${() => onKeys(keys.filter((_, at) => at !== index))}>✕<//>`}
    </div>`)}
    ${keys.length < most && html`<${Button} kind="quiet small" onClick=${() => onKeys([...keys, emptyKey()])}>+ ${keys.length ? "attribute" : label.toLowerCase()}<//>`}
  </fieldset>`;
}

const units = (of, change, fields, hint) => fields.map(([name, label]) => html`<${Text} key=${name} label=${label} hint=${hint} inputmode="numeric" value=${of[name]} onValue=${(text) => change({ [name]: text })} />`);

/** The units of a table or a global index: provisioned, or the most that it may use. */
const Units = ({ of, provisioned, change }) => (provisioned
  ? units(of, change, [["reads", "Read units"], ["writes", "Write units"]])
  : units(of, change, [["readsMax", "Most read units a second"], ["writesMax", "Most write units a second"]], "Empty: no limit"));

const WarmUnits = ({ of, change }) => units(of, change, [["warmReads", "Warm read units a second"], ["warmWrites", "Warm write units a second"]]);

/** The fields of one index. */
export function IndexFields({ index, onIndex, provisioned, onRemove }) {
  const change = (part) => onIndex({ ...index, ...part });
  return html`<fieldset class="card"><legend>${index.kind === "global" ? "Global" : "Local"} index</legend>
    <div class="grid2">
      <${Text} label="Index name" value=${index.name} onValue=${(name) => change({ name })} />
      <${Select} label="Projection" options=${PROJECTIONS} value=${index.projection} onValue=${(projection) => change({ projection })} />
      ${index.kind === "global" && html`<${Keys} label="Index partition key" keys=${index.hash} least=${1} most=${INDEX_KEYS_MAX} onKeys=${(hash) => change({ hash })} />`}
      <${Keys} label="Index sort key" keys=${index.range} least=${index.kind === "local" ? 1 : 0} most=${index.kind === "local" ? 1 : INDEX_KEYS_MAX} onKeys=${(range) => change({ range })} />
      ${index.projection === "INCLUDE" && html`<${Text} label="Included attributes" hint="Separated by commas" value=${index.include} onValue=${(include) => change({ include })} />`}
      ${index.kind === "global" && html`<${Units} of=${index} provisioned=${provisioned} change=${change} /><${WarmUnits} of=${index} change=${change} />`}
    </div>
    ${onRemove && html`<${Button} kind="quiet small" onClick=${onRemove}>Remove this index<//>`}
  </fieldset>`;
}

export default function Create({ onClose, onDone }) {
  const [form, set] = useState(emptyForm());
  const [state, say] = useState({});
  const change = (part) => set((before) => ({ ...before, ...part }));
  const faults = faultsOfForm(form);
  const provisioned = form.mode === "PROVISIONED";
  const setIndex = (at, index) => change({ indexes: form.indexes.map((each, other) => (other === at ? index : each)) });
  const act = async () => {
    if (Object.keys(faults).length) return say({ tried: true });
    try {
      say({ at: "Creating the table …" });
      await create(createRequest(form), form, (at) => say({ at }));
      toast(`${form.name} created`, { action: { text: "Open", run: () => go(tablePath(form.name)) } });
      return onDone();
    } catch (error) {
      return say({ error });
    }
  };
  const addIndex = (kind) => change({ indexes: [...form.indexes, kind === "local" ? { ...emptyIndex(kind), range: [emptyKey()] } : emptyIndex(kind)] });
  const told = (name) => (state.tried ? faults[name] : undefined);
  const actions = html`<span class="cost">${costText(form)}</span><${Button} onClick=${onClose}>Cancel<//><${Button} kind="primary" disabled=${Boolean(state.at)} onClick=${act}>Create<//>`;
  return html`<${Dialog} title="Create table" wide onClose=${onClose} actions=${actions}>
    <div class="grid2">
      <${Text} label="Table name" value=${form.name} onValue=${(name) => change({ name })} fault=${told("name")} autofocus />
      <span></span>
      <${Keys} label="Partition key" keys=${form.hash} least=${1} most=${1} onKeys=${(hash) => change({ hash })} />
      <${Keys} label="Sort key" keys=${form.range} least=${0} most=${1} onKeys=${(range) => change({ range })} />
    </div>
    ${told("keys") && html`<p class="fault" role="alert">${faults.keys}</p>`}
    <h3>Capacity</h3>
    <div class="grid2">
      <${Select} label="Capacity mode" options=${[["PAY_PER_REQUEST", "On demand"], ["PROVISIONED", "Provisioned"]]} value=${form.mode} onValue=${(mode) => change({ mode })} />
      <${Select} label="Table class" options=${CLASSES} value=${form.tableClass} onValue=${(tableClass) => change({ tableClass })} />
      <${Units} of=${form} provisioned=${provisioned} change=${change} />
    </div>
    <h3>Indexes</h3>
    ${form.indexes.map((index, at) => html`<${IndexFields} key=${at} index=${index} provisioned=${provisioned} onIndex=${(each) => setIndex(at, each)} onRemove=${() => change({ indexes: form.indexes.filter((_, other) => other !== at) })} />`)}
    ${told("indexes") && html`<p class="fault" role="alert">${faults.indexes}</p>`}
    <div class="row"><${Button} kind="small" onClick=${() => addIndex("global")}>+ Global index<//><${Button} kind="small" onClick=${() => addIndex("local")}>+ Local index<//></div>
    <details class="more"><summary>Stream, time to live, recovery, protection, warm throughput, tags</summary>
      <div class="grid2">
        <${Select} label="Stream" options=${VIEWS} value=${form.stream} onValue=${(stream) => change({ stream })} />
        <${Text} label="Time to live: attribute" hint="Empty: items do not expire" value=${form.ttl} onValue=${(ttl) => change({ ttl })} />
        <${Check} label="Point-in-time recovery" value=${form.pitr} onValue=${(pitr) => change({ pitr })} />
        <${Check} label="Protection from deletion" value=${form.protection} onValue=${(protection) => change({ protection })} />
        <${WarmUnits} of=${form} change=${change} />
      </div>
      <fieldset class="keys"><legend>Tags</legend>${form.tags.map((tag, at) => html`<div class="row">
        <input aria-label=${`Tag ${at + 1}: key`} placeholder="key" value=${tag.key} onInput=${(event) => change({ tags: form.tags.map((each, other) => (other === at ? { ...each, key: event.target.value } : each)) })} />
        <input aria-label=${`Tag ${at + 1}: value`} placeholder="value" value=${tag.value} onInput=${(event) => change({ tags: form.tags.map((each, other) => (other === at ? { ...each, value: event.target.value } : each)) })} />
        <${Button} kind="quiet small" aria-label="Remove the tag" onClick=${() => change({ tags: form.tags.filter((_, other) => other !== at) })}>✕<//>
      </div>`)}<${Button} kind="quiet small" onClick=${() => change({ tags: [...form.tags, { key: "", value: "" }] })}>+ tag<//></fieldset>
    </details>
    ${state.at && html`<p class="loading" role="status">${state.at}</p>`}
    <${ErrorBox} error=${state.error} />
  <//>`;
}
