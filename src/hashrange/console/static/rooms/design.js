// Models of tables: kept in this browser, checked as one types, drawn, priced, exported, and made on the server.
import { html, useEffect, useMemo, useRef, useState } from "../vendor/ui.js";
import { ask, keep, read } from "../api.js";
import { address, Badge, Button, Confirm, Copy, Dialog, download, Empty, ErrorBox, Link, Loading, Menu, plural, Select, Tabs, Text, useValue } from "../parts.js";
import { Rows, setQuery } from "../lists.js";
import { TextEditor } from "../editor.js";
import { Costs, Facets, Items, Line, Patterns, TablesOf } from "../drawings.js";
import { Commit } from "./commit.js";

const WAIT_MS = 500;
const BYTES_MAX = 1024 * 1024;
const STORED = "hashrange.design.";
const FORMS = {
  toml: ["hashrange, TOML", ".toml"], json: ["hashrange, JSON", ".json"], workbench: ["NoSQL Workbench", ".workbench.json"], onetable: ["OneTable", ".onetable.json"],
  cloudformation: ["CloudFormation", ".template.yaml"], markdown: ["Markdown", ".md"], "cdk-typescript": ["CDK, TypeScript", ".ts"], "cdk-python": ["CDK, Python", ".py"],
  terraform: ["Terraform", ".tf"], "aws-cli": ["AWS CLI", ".sh"], boto3: ["boto3", ".py"],
};
const DIALECTS = { hashrange: "hashrange", workbench: "NoSQL Workbench", onetable: "OneTable", cloudformation: "CloudFormation", "data-model": "dynamodb_data_model.json", "cost-model": "cost model" };
const EXAMPLE = `name = "shop"

[[tables]]
name = "shop"
partition_key = "pk:S"
sort_key = "sk:S"

[[tables.indexes]]
name = "by-email"
partition_key = "email:S"

[[entities]]
name = "Customer"
templates = { pk = "CUSTOMER#{customerId}", sk = "PROFILE" }
attributes = { customerId = "S", name = "S", email = "S" }

[[entities]]
name = "Order"
templates = { pk = "CUSTOMER#{customerId}", sk = "ORDER#{number:08}" }
attributes = { customerId = "S", number = "N", status = "S", total = "N" }
items = 2_000_000
samples = [
  { customerId = "1", number = 1, status = "open", total = 10.50 },
]

[[patterns]]
name = "Customer and orders"
entity = "Order"
key = { pk = "CUSTOMER#{customerId}" }
rate = 100
items = 20

[[patterns]]
name = "Customer by email"
entity = "Customer"
index = "by-email"
key = { email = "{email}" }
rate = 5

[[patterns]]
name = "Place an order"
operation = "PutItem"
entity = "Order"
condition = "attribute_not_exists(pk)"
rate = 20
`;

/* Models that this browser keeps */

const namesKept = () => Object.keys(localStorage).filter((each) => each.startsWith(STORED)).map((each) => each.slice(STORED.length)).sort();
const kept = (name) => read(`design.${name}`, null);

/** Keep a model; false if the browser refuses. */
function store(name, model) {
  keep(`design.${name}`, model);
  const found = kept(name);
  return found?.text === model.text && found.file === model.file;
}

const forget = (name) => localStorage.removeItem(STORED + name);

/** A name that no kept model has. */
function freeName(wanted) {
  const names = new Set(namesKept());
  let name = wanted;
  for (let number = 2; names.has(name); number += 1) name = `${wanted} ${number}`;
  return name;
}

/** The file's name, or one that says the form of a text that was pasted. */
const fileOf = (name, { file, text }) => file || name + (text.trimStart().startsWith("{") ? ".json" : /^(AWSTemplateFormatVersion|Resources|Transform):/m.test(text) ? ".yaml" : ".toml");
const isLong = (text) => new TextEncoder().encode(text).length > BYTES_MAX;

export default function Design() {
  const { query } = useValue(address);
  const name = query.get("model");
  const [, again] = useState(0);
  if (!name) return html`<${List} again=${() => again((turn) => turn + 1)} />`;
  if (!kept(name)) {
    return html`<${Head} name=${name} /><${Empty} title=${`This browser keeps no model ${name}`}><p>Models are kept in the browser, and nothing of them on the server. Open its file under <${Link} to="/design">Design<//>: a model of the same name has this address.</p><//>`;
  }
  return html`<${Model} key=${name} name=${name} />`;
}

const Head = ({ name, children }) => html`<div class="head"><p class="crumbs"><${Link} to="/design">Design<//> <span aria-hidden="true">/</span></p><h1 class="cut">${name}</h1>${children}</div>`;

function List({ again }) {
  const [gone, remove] = useState(null);
  const [fault, fail] = useState("");
  const names = namesKept();
  const begin = (wanted, model) => {
    if (isLong(model.text)) return fail(`${wanted} is larger than 1 MB`);
    const name = freeName(wanted);
    if (!store(name, model)) return fail("This browser has no room to keep the model");
    return setQuery({ model: name });
  };
  const pick = async (event) => {
    const [file] = event.target.files;
    event.target.value = "";
    if (!file) return;
    if (file.size > BYTES_MAX) fail(`${file.name} is larger than 1 MB`);
    else begin(file.name.replace(/\.[^.]*$/, "") || file.name, { text: await file.text(), file: file.name });
  };
  return html`<div class="head"><h1>Design</h1><span class="muted">Models of tables, kept in this browser</span></div>
    <div class="toolbar"><label class="button primary">Open a file <input class="hidden" type="file" aria-label="Open a file" accept=".toml,.json,.yaml,.yml,.template" onChange=${pick} /></label>
      <${Button} onClick=${() => begin("model", { text: "", file: "" })}>Paste a model<//><${Button} onClick=${() => begin("shop", { text: EXAMPLE, file: "shop.toml" })}>Begin with an example<//></div>
    ${fault && html`<p class="fault" role="alert">${fault}</p>`}
    ${names.length > 0
      ? html`<${Rows} label="Models" head=${["Model", "File", ["Size", "number"], ""]}>${names.map((each) => {
        const { text, file } = kept(each) ?? { text: "", file: "" };
        return html`<tr key=${each}><th scope="row"><${Link} to=${`/design?${new URLSearchParams({ model: each })}`}>${each}<//></th><td class="cut">${file || html`<span class="muted">pasted</span>`}</td><td class="number">${plural(text.length, "character")}</td>
          <td><${Button} kind="quiet small" aria-label=${`Delete ${each}`} onClick=${() => remove(each)}>Delete …<//></td></tr>`;
      })}<//>`
      : html`<${Empty} title="No models yet" command="hashrange model convert workbench.json --to toml"><p>Open a model of hashrange (TOML, JSON or YAML), NoSQL Workbench, OneTable, a <code>dynamodb_data_model.json</code>, or a CloudFormation template. It is checked, drawn and priced as you type. The same can be done by commands:</p><//>`}
    ${gone && html`<${Confirm} title=${`Delete ${gone}`} action="Delete" onClose=${() => remove(null)} onDone=${() => { forget(gone); remove(null); again(); }} lost=${html`<p>The model is kept in this browser only. Tables that were made of it stay.</p>`} />`}`;
}

/** What the server says of a model, some time after it has changed: the last answer, and the last model that could be read. */
function useInspected(text, file) {
  const [state, change] = useState({});
  useEffect(() => {
    let current = true;
    const set = (found) => current && change((before) => ({ model: before.model, ...found, of: text }));
    const timer = setTimeout(() => {
      if (!text.trim()) return set({ model: undefined });
      if (isLong(text)) return set({ fault: { text: "The model is larger than 1 MB" } });
      return ask("design", { text, file }).then(
        (found) => set(found.fault ? { fault: found.fault } : { model: found }),
        (error) => set({ error: Object.assign(error, { request: { file } }) }),
      );
    }, WAIT_MS);
    return () => { current = false; clearTimeout(timer); };
  }, [text, file]);
  return { ...state, waits: state.of !== text };
}

/** The offset of the text of a line. */
function offsetOf(text, line) {
  const lines = text.split("\n");
  const before = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  return before + (lines[line - 1]?.search(/\S|$/) ?? 0);
}

function Model({ name }) {
  const { query } = useValue(address);
  const first = useMemo(() => kept(name), []);
  const [text, change] = useState(first.text);
  const [full, refuse] = useState(false);
  const [spot, show] = useState(null);
  const [dialog, open] = useState(null);
  const file = fileOf(name, { ...first, text });
  const { model, fault, error, waits } = useInspected(text, file);
  const view = query.get("view") || "findings";
  const edit = (next) => {
    change(next);
    refuse(!store(name, { text: next, file: first.file }));
  };
  const go = (line) => show({ at: offsetOf(text, line) });
  const views = [["findings", model ? `Findings (${model.findingsInAll})` : "Findings"], ["tables", "Tables"], ["collections", "Collections"], ["patterns", "Access patterns"], ["items", "Items"], ["costs", "Cost"]];
  const ready = model && !fault && !error && !waits;
  return html`<${Head} name=${name}>${model && html`<${Badge}>${DIALECTS[model.dialect]}<//>`}<div class="spacer"></div>
      <${Button} disabled=${!ready} onClick=${() => open("export")}>Export …<//><${Button} kind="primary" disabled=${!ready} onClick=${() => open("commit")}>Commit to the server …<//>
      <${Menu} label="More" items=${[{ text: "Rename …", run: () => open("rename") }, { text: "Download the text", run: () => download(file, text) }]} /><//>
    <div class="bench"><section aria-label="Text">
        <${TextEditor} label="Model" language=${file.endsWith(".json") ? "json" : "text"} value=${first.text} onValue=${edit} rows=${34} spot=${spot} fault=${fault?.line ? { at: offsetOf(text, fault.line), message: fault.text } : undefined} placeholder="Paste a model: TOML, JSON, or YAML" />
        <p class="muted" role="status">${waits ? "Checking …" : full ? "" : "Kept in this browser"}</p>
        ${full && html`<p class="fault" role="alert">This browser has no room to keep the model: it is lost with this page. Download it.</p>`}
        ${fault && html`<p class="fault" role="alert"><strong>The model cannot be read</strong>${fault.line && html` · <${Line} of=${fault} go=${go} />`}: ${fault.text}</p>`}
        <${ErrorBox} error=${error} /></section>
      <section aria-label="What it describes"><${Tabs} label="Parts of the model" tabs=${views} value=${view} onValue=${(to) => setQuery({ view: to === "findings" ? "" : to }, { replace: true })} />
        ${fault && model && html`<p class="muted">As it was before the error:</p>`}
        ${!model && !fault && !error && (text.trim() ? html`<${Loading} text="Checking …" />` : html`<p class="muted">Paste the text of a model to see what it describes.</p>`)}
        ${model && html`<${View} view=${view} model=${model} go=${go} />`}</section></div>
    ${dialog === "export" && html`<${Export} name=${name} text=${text} file=${file} model=${model} onClose=${() => open(null)} />`}
    ${dialog === "commit" && html`<${Commit} model=${model} onClose=${() => open(null)} />`}
    ${dialog === "rename" && html`<${Rename} name=${name} onClose=${() => open(null)} onDone=${(to) => { if (store(to, { text, file: first.file })) { forget(name); setQuery({ model: to }); } }} />`}`;
}

const VIEWS = { findings: Findings, tables: TablesOf, collections: Facets, patterns: Patterns, items: Items, costs: Costs };

const View = ({ view, ...rest }) => html`<${VIEWS[view] ?? Findings} ...${rest} />`;

function Findings({ model, go }) {
  const { findings, findingsInAll } = model;
  if (!findings.length) return html`<p role="status"><${Badge} kind="ok">Nothing found<//> by the rules of <code>hashrange check</code> that need no server.</p>`;
  return html`<ul class="lines" aria-label="Findings">${findings.map((each, at) => html`<li key=${at}><${Badge} kind=${each.severity === "error" ? "delete" : "warn"}>${each.severity}<//>
      <strong>${each.place}</strong> <${Line} of=${each} go=${go} /> <code class="muted">${each.kind}</code><p>${each.text}.</p><p class="muted">${each.remedy}.</p></li>`)}</ul>
    ${findingsInAll > findings.length && html`<p class="muted">The first ${findings.length} of ${findingsInAll} are shown.</p>`}`;
}

function Rename({ name, onClose, onDone }) {
  const [to, change] = useState(name);
  const fault = to !== name && namesKept().includes(to) ? "Another model has this name" : "";
  const act = () => { if (to && !fault && to !== name) onDone(to); onClose(); };
  return html`<${Dialog} title="Rename the model" onClose=${onClose} actions=${html`<${Button} onClick=${onClose}>Cancel<//><${Button} kind="primary" disabled=${!to || Boolean(fault)} onClick=${act}>Rename<//>`}>
    <${Text} label="Name" value=${to} fault=${fault} onValue=${change} autofocus /><//>`;
}

/** The model, or one of its tables, in another form. */
function Export({ name, text, file, model, onClose }) {
  const [form, change] = useState({ of: "", form: "toml" });
  const [found, set] = useState({});
  const turn = useRef(0);
  const of = form.of ? "design" : "model";
  useEffect(() => {
    const now = (turn.current += 1);
    set({});
    ask("design", { text, file, export: { form: form.form, of, table: form.of || null } }).then(
      (answer) => turn.current === now && set(answer),
      (error) => turn.current === now && set({ error: Object.assign(error, { request: { file } }) }),
    );
  }, [form.of, form.form]);
  const choose = (next) => change({ of: next, form: model.forms[next ? "design" : "model"].includes(form.form) ? form.form : next ? "cloudformation" : "toml" });
  const target = (form.of || name) + FORMS[form.form][1];
  return html`<${Dialog} title="Export" wide onClose=${onClose} actions=${html`${found.text !== undefined && html`<${Copy} text=${found.text} /><${Button} kind="primary" onClick=${() => download(target, found.text)}>Download ${target}<//>`}<${Button} onClick=${onClose}>Close<//>`}>
    <div class="grid2"><${Select} label="What" options=${[["", "The whole model"], ...model.tables.map((each) => [each.name, `Table ${each.name}`])]} value=${form.of} onValue=${choose} />
      <${Select} label="Form" options=${model.forms[of].map((each) => [each, (of === "design" && each === "json" ? "Definition, JSON" : FORMS[each][0])])} value=${form.form} onValue=${(next) => change({ ...form, form: next })} /></div>
    ${found.fault && html`<p class="fault" role="alert">${found.fault.text}</p>`}<${ErrorBox} error=${found.error} />
    ${found.text === undefined ? !found.fault && !found.error && html`<${Loading} />` : html`<pre tabindex="0" aria-label="Text of the export">${found.text}</pre>`}<//>`;
}
