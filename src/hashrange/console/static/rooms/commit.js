// Makes the tables of a model: shows what will be made, then sends the requests with the caller's policies.
import { html, useState } from "../vendor/ui.js";
import { call } from "../api.js";
import { Badge, Button, Check, Dialog, ErrorBox, Link, Loading, plural, tablePath, useLoaded } from "../parts.js";
import { putOf, writeAll } from "../bulk.js";
import { awaited, describe } from "../definition.js";
import { indexText } from "../drawings.js";

const FEATURES = {
  UpdateTimeToLive: "time to live", UpdateContributorInsights: "contributor insights", UpdateContinuousBackups: "point-in-time recovery",
  RegisterScalableTarget: "auto scaling", PutScalingPolicy: "auto scaling", PutMetricAlarm: "alarms",
};
const PREFIXES = { dynamodb: "", "application-autoscaling": "scaling:" };
const NOT_YET = "ContinuousBackupsUnavailableException";
const TRIES_MAX = 60;

/** Whether each table exists; null if the caller may not know. */
const existing = (names) => Promise.all(names.map((name) => describe(name).then(() => true, (error) => (error.type === "ResourceNotFoundException" ? false : null))));
const featuresOf = (table) => [...new Set(table.steps.slice(1).map((each) => FEATURES[each.operation]))];

export function Commit({ model, onClose }) {
  const names = model.tables.map((each) => each.name);
  const { value: known } = useLoaded(() => existing(names), []);
  const [left, leave] = useState(new Set());
  const [samples, put] = useState(false);
  const [state, set] = useState({ lines: [] });
  const chosen = known ? model.tables.filter((each, at) => !known[at] && !left.has(each.name)) : [];
  const errors = model.findings.filter((each) => each.severity === "error").length;
  const act = async () => {
    const lines = [];
    const say = (line) => set({ lines: [...lines], at: line });
    try {
      for (const table of chosen) {
        say(`Making ${table.name} …`);
        lines.push(await made(table, samples, say));
      }
      set({ lines, done: true });
    } catch (error) {
      set({ lines, error, done: lines.length > 0 });
    }
  };
  const toggle = (name) => leave((before) => new Set(before.has(name) ? [...before].filter((each) => each !== name) : [...before, name]));
  const actions = html`<${Button} onClick=${onClose}>${state.done ? "Close" : "Cancel"}<//>${!state.done && html`<${Button} kind="primary" disabled=${!chosen.length || Boolean(state.at)} onClick=${act}>Make ${plural(chosen.length, "table")}<//>`}`;
  return html`<${Dialog} title="Commit to the server" wide onClose=${onClose} actions=${actions}>
    ${!known && html`<${Loading} />`}${errors > 0 && html`<p class="fault">The check finds ${plural(errors, "error")} in this model.</p>`}
    ${known && !state.done && html`<p>These tables will be made. Nothing that exists is changed.</p>
      ${model.tables.map((table, at) => html`<fieldset class="card" key=${table.name}><legend>${table.name}</legend>
        ${known[at] ? html`<p><${Badge} kind="warn">exists<//> A table of this name is there, and stays as it is.</p>` : html`<${Check} label=${`Make the table ${table.name}`} value=${!left.has(table.name)} onValue=${() => toggle(table.name)} />`}
        <ul><li>table: <code>${[table.partition_key, table.sort_key].filter(Boolean).join(" + ")}</code>, ${table.billing_mode === "PROVISIONED" ? "provisioned" : "on demand"}</li>${(table.indexes ?? []).map((each) => html`<li>${indexText(each, table)}</li>`)}${featuresOf(table).map((each) => html`<li>${each}${each === "alarms" ? ": not made here, as this server has no alarms" : ""}</li>`)}</ul>
        <details><summary>The requests</summary><pre tabindex="0" aria-label=${`Requests of ${table.name}`}>${table.steps.map((each) => `${each.operation} ${JSON.stringify(each.request, null, 2)}`).join("\n\n")}</pre></details></fieldset>`)}
      <${Check} label=${`Put the sample items (${chosen.reduce((sum, each) => sum + each.samples.length, 0)})`} value=${samples} onValue=${put} hint="Entities without samples get items that are made up." />`}
    ${state.lines.length > 0 && html`<ul class="lines" aria-label="What was made">${state.lines.map(({ name, text, missing }) => html`<li key=${name}><${Badge} kind="ok">made<//> <div><${Link} to=${tablePath(name)}>${name}<//> ${text}${missing.map((each) => html`<p class="fault">${each}</p>`)}</div></li>`)}</ul>`}
    ${state.at && html`<p class="loading" role="status">${state.at}</p>`}<${ErrorBox} error=${state.error} /><//>`;
}

/** Make a table, then its settings: one that fails does not stop the others. An ApiError: the table, or its items, are refused. */
async function made(table, samples, say) {
  const [create, ...steps] = table.steps;
  await call("CreateTable", create.request);
  await awaited(table.name);
  const missing = new Map();
  for (const step of steps) {
    const feature = FEATURES[step.operation];
    say(`${table.name}: ${feature} …`);
    if (step.service in PREFIXES) await performed(step).catch((error) => missing.set(feature, `without ${feature}: ${error.message}`));
    else missing.set(feature, `without ${feature}: this server has none`);
  }
  if (samples && table.samples.length) {
    try {
      await writeAll(table.name, table.samples.map(putOf), (number) => say(`${table.name}: ${plural(number, "item")} …`));
    } catch (error) {
      missing.set("items", `without all sample items: ${error.message}`);
    }
  }
  return { name: table.name, missing: [...missing.values()], text: samples && !missing.has("items") ? `with ${plural(table.samples.length, "item")}` : "" };
}

/** Send a request. Recovery is refused for some seconds after a table was made. */
async function performed({ service, operation, request }) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call(PREFIXES[service] + operation, request);
    } catch (error) {
      if (error.type !== NOT_YET || tries === TRIES_MAX) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
}
