// One item: as a form, as DynamoDB JSON, as plain JSON. Checked as one types.
import { html, useMemo, useState } from "./vendor/ui.js";
import { Button, bytes, Choice, Dialog, ErrorBox, Tabs } from "./parts.js";
import { TextEditor } from "./editor.js";
import { visible } from "./json.js";
import { bytesOfItem, dynamoText, faultsOfItem, ITEM_BYTES_MAX, parseItem, plainText, TYPES, typeOf } from "./values.js";

const FRESH = { S: "", N: "0", B: "", BOOL: false, NULL: true, M: {}, L: [], SS: [""], NS: ["0"], BS: [""] };
const TYPE_OPTIONS = Object.entries(TYPES);

/** The value of another type that keeps what it can of the text. */
function retyped(value, type) {
  const from = typeOf(value);
  const text = ["S", "N", "B"].includes(from) ? value[from] : "";
  if (["S", "N", "B"].includes(type) && text) return { [type]: text };
  if (["SS", "NS", "BS"].includes(type) && text) return { [type]: [text] };
  return { [type]: structuredClone(FRESH[type]) };
}

function Named({ map, onMap, keys = [], path }) {
  const entries = Object.entries(map);
  const rebuilt = (next) => onMap(Object.fromEntries(next));
  const [typed, type] = useState("");
  const add = () => {
    if (!typed || Object.hasOwn(map, typed)) return;
    rebuilt([...entries, [typed, { S: "" }]]);
    type("");
  };
  return html`<div class="members">
    ${entries.map(([name, value], at) => html`<div class="member" key=${name}>
      <span class="name" title=${visible(name)}>${visible(name)}${keys.includes(name) && html`<small class="muted"> key</small>`}</span>
      <${Value} path=${`${path}${name}`} value=${value} onValue=${(next) => rebuilt(entries.map((each, other) => (other === at ? [name, next] : each)))}
        onRemove=${keys.includes(name) ? null : () => rebuilt(entries.filter((_, other) => other !== at))} />
    </div>`)}
    <div class="row"><input aria-label=${`New attribute${path ? ` of ${path}` : ""}`} placeholder="new attribute" value=${typed} onInput=${(event) => type(event.target.value)} onKeyDown=${(event) => event.key === "Enter" && add()} spellcheck=${false} />
      <${Button} kind="small" onClick=${add} disabled=${!typed || Object.hasOwn(map, typed)}>Add<//></div>
  </div>`;
}

function Value({ value, onValue, onRemove, path }) {
  const type = typeOf(value);
  const content = value[type];
  const set = (next) => onValue({ [type]: next });
  let field;
  if (type === "BOOL") field = html`<${Choice} aria-label=${path} options=${["true", "false"]} value=${String(content)} onValue=${(next) => set(next === "true")} />`;
  else if (type === "NULL") field = html`<span class="muted">null</span>`;
  else if (type === "N") field = html`<input class="mono" inputmode="decimal" aria-label=${path} value=${content} onInput=${(event) => set(event.target.value)} spellcheck=${false} />`;
  else if (type === "S" || type === "B") field = html`<textarea class="mono" rows=${Math.min(8, content.slice(0, 4000).split("\n").length + (content.length > 90 ? 1 : 0))} aria-label=${path} value=${content} onInput=${(event) => set(event.target.value)} spellcheck=${false}></textarea>`;
  else if (type === "M") field = html`<${Named} map=${content} onMap=${set} path=${`${path}.`} />`;
  else if (type === "L") {
    field = html`<div class="members">${content.map((each, at) => html`<div class="member" key=${at}><span class="name muted">${at}</span>
      <${Value} path=${`${path}[${at}]`} value=${each} onValue=${(next) => set(content.map((other, place) => (place === at ? next : other)))} onRemove=${() => set(content.filter((_, place) => place !== at))} /></div>`)}
      <${Button} kind="small" onClick=${() => set([...content, { S: "" }])}>Add element<//></div>`;
  } else field = html`<textarea class="mono" rows=${Math.min(8, content.length + 1)} aria-label=${`${path}: one element a line`} title="One element a line" value=${content.join("\n")} onInput=${(event) => set(event.target.value.split("\n"))} spellcheck=${false}></textarea>`;
  return html`<div class="value">
    <${Choice} aria-label=${`${path}: type`} class="small" options=${TYPE_OPTIONS} value=${type} onValue=${(next) => onValue(retyped(value, next))} />
    ${field}
    ${onRemove && html`<${Button} kind="quiet small" aria-label=${`Remove ${path}`} onClick=${onRemove}>✕<//>`}
  </div>`;
}

const FORMS = [["form", "Form"], ["dynamo", "DynamoDB JSON"], ["plain", "Plain JSON"]];
const textOf = (item, form) => (form === "plain" ? plainText(item) : dynamoText(item));

/**
 * Edit or create an item. `before`: the item as it was read; undefined for a new one. `start`: what
 * is shown at first. `onStage(after)` and `onSave(after)`, which may throw.
 */
export function ItemDialog({ table, before, start, title, readOnly, onStage, onSave, onDelete, onClose }) {
  const [form, choose] = useState("form");
  const [item, set] = useState(start);
  const [text, type] = useState("");
  const [fault, say] = useState(null);
  const [state, change] = useState({});
  const keys = table.KeySchema.map((each) => each.AttributeName);
  const faults = useMemo(() => (fault ? [fault.message] : faultsOfItem(item, table)), [item, fault]);
  const show = (next) => {
    if (fault && next !== form) return;
    if (next !== "form") type(textOf(item, next));
    choose(next);
  };
  const read = (typed) => {
    type(typed);
    try {
      set(parseItem(typed, form, before ?? start));
      say(null);
    } catch (error) {
      say({ at: error.at, message: error.message });
    }
  };
  const act = async (run) => {
    if (faults.length) return;
    change({ at: "Writing …" });
    try {
      await run(item);
    } catch (error) {
      change({ error });
    }
  };
  const size = fault ? 0 : bytesOfItem(item);
  const off = faults.length > 0 || Boolean(state.at);
  const actions = html`<span class=${`size ${size > ITEM_BYTES_MAX ? "fault" : "muted"}`} title="As DynamoDB counts it">${bytes(size)} of 400 KB</span>
    ${!readOnly && onDelete && html`<${Button} kind="danger" onClick=${onDelete}>Delete (staged)<//>`}
    <${Button} onClick=${onClose}>${readOnly ? "Close" : "Cancel"}<//>
    ${!readOnly && html`<${Button} disabled=${off} onClick=${() => act(onStage)}>Stage<//><${Button} kind="primary" disabled=${off} onClick=${() => act(onSave)}>Save<//>`}`;
  return html`<${Dialog} title=${title} wide onClose=${onClose} actions=${actions}>
    <${Tabs} label="Form of the item" tabs=${FORMS} value=${form} onValue=${show} />
    ${form === "form"
      ? html`<${Named} map=${item} onMap=${set} keys=${keys} path="" />`
      : html`<${TextEditor} key=${form} label=${form === "plain" ? "Item in plain JSON" : "Item in DynamoDB JSON"} language="json" value=${text} onValue=${read} fault=${fault} rows=${22} onRun=${() => act(onSave)} />`}
    ${form === "plain" && html`<p class="muted">Sets and binary values keep their types while their attributes keep their names. A new list is a list, a new text a string.</p>`}
    ${faults.length > 0 && html`<div role="alert"><ul class="faults">${faults.slice(0, 8).map((each) => html`<li>${visible(each)}</li>`)}</ul></div>`}
    ${state.at && html`<p class="loading" role="status">${state.at}</p>`}
    <${ErrorBox} error=${state.error} />
  <//>`;
}
