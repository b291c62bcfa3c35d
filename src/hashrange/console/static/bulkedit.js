// One change of many items: set or remove an attribute. The changes are staged.
import { html, useState } from "./vendor/ui.js";
import { Button, Dialog, plural, Select, Text } from "./parts.js";
import { changeOf } from "./changes.js";
import { QueryFault, VALUE_TYPES, valueOfText } from "./query.js";
import { faultsOfItem } from "./values.js";

export function BulkEdit({ table, items, names, partial, onDone, onClose }) {
  const [form, set] = useState({ action: "set", name: "", type: "S", text: "" });
  const [fault, say] = useState("");
  const change = (part) => set({ ...form, ...part });
  const keys = table.KeySchema.map((each) => each.AttributeName);
  const act = () => {
    try {
      if (!form.name || keys.includes(form.name)) throw new QueryFault(form.name ? "A key cannot be changed" : "Enter the name of an attribute");
      const value = form.action === "set" ? valueOfText(form.type, form.text, form.name) : undefined;
      const list = items.map(({ before, item }) => {
        const after = value ? { ...item, [form.name]: value } : { ...item };
        if (!value) delete after[form.name];
        const faults = partial ? [] : faultsOfItem(after, table);
        if (faults.length) throw new QueryFault(faults[0]);
        return changeOf(before, after, table.KeySchema);
      });
      onDone(list);
    } catch (error) {
      if (!(error instanceof QueryFault)) throw error;
      say(error.message);
    }
  };
  return html`<${Dialog} title=${`Edit ${plural(items.length, "item")}`} onClose=${onClose} actions=${html`<${Button} onClick=${onClose}>Cancel<//><${Button} kind="primary" onClick=${act}>Stage ${plural(items.length, "change")}<//>`}>
    <${Select} label="Change" options=${[["set", "set an attribute"], ["remove", "remove an attribute"]]} value=${form.action} onValue=${(action) => change({ action })} />
    <datalist id="bulk-names">${names.map((each) => html`<option value=${each} />`)}</datalist>
    <${Text} label="Attribute" value=${form.name} onValue=${(name) => change({ name })} list="bulk-names" autofocus />
    ${form.action === "set" && html`<${Select} label="Type" options=${VALUE_TYPES} value=${form.type} onValue=${(type) => change({ type })} /><${Text} label="Value" value=${form.text} onValue=${(text) => change({ text })} />`}
    ${fault && html`<p class="fault" role="alert">${fault}</p>`}
  <//>`;
}
