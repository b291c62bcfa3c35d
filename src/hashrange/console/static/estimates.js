// What a table costs a month, and what would be throttled if it were made otherwise.
import { html, useEffect, useState } from "./vendor/ui.js";
import { ask } from "./api.js";
import { Badge, Button, bytes, count, ErrorBox, Select, Text, useLoaded } from "./parts.js";
import { shortNumber } from "./chart.js";
import { modeOf, recoveryOf } from "./definition.js";
import { hotShareOf, loadOf } from "./heat.js";

export const WAYS = [
  ["on_demand", "On demand"], ["provisioned", "Provisioned for the busiest minute"], ["provisioned_with_scaling", "Provisioned, with auto scaling"],
  ["reserved_1_year", "Reserved for 1 year"], ["reserved_3_years", "Reserved for 3 years"],
  ["standard_ia_on_demand", "Infrequent access, on demand"], ["standard_ia_provisioned", "Infrequent access, provisioned"],
];
const dollars = new Intl.NumberFormat("en", { style: "currency", currency: "USD" });
export const money = (value) => (value === null || value === undefined ? "no price" : dollars.format(value));
const rate = (value) => Number(value.toFixed(2));

export function Costs({ table, minutes }) {
  const load = loadOf(minutes);
  const { value: bill, error } = useLoaded(async () => {
    const recovery = await recoveryOf(table.TableName).catch(() => undefined);
    return ask("costs", { TableName: table.TableName, ReadUnits: load.reads, WriteUnits: load.writes, ReadPeak: load.readPeak, WritePeak: load.writePeak, Recovery: recovery?.PointInTimeRecoveryStatus === "ENABLED" });
  }, [table.TableName, minutes]);
  const now = modeOf(table) === "PROVISIONED" ? "provisioned" : "on_demand";
  return html`<section class="card" aria-label="Cost of this load">
    <h2>Cost of this load</h2>
    <p class="muted">A month of ${shortNumber(load.reads)} read and ${shortNumber(load.writes)} write units a second, the average of the last ${Math.max(1, Math.round(load.seconds / 60))} min, and ${bytes(table.TableSizeBytes)}, at AWS's list prices in us-east-1.</p>
    <${ErrorBox} error=${error} />
    ${bill && html`<table class="list"><thead><tr><th scope="col">Way of paying</th><th scope="col" class="number">A month</th></tr></thead>
      <tbody>${WAYS.filter(([way]) => way in bill.monthly).map(([way, text]) => html`<tr><th scope="row">${text} ${way === now && html`<${Badge} kind="on">now<//>`} ${way === bill.cheapest && html`<${Badge} kind="ok">cheapest<//>`}</th><td class="number">${money(bill.monthly[way])}</td></tr>`)}</tbody></table>
      ${bill.break_even.provisioned && html`<p class="muted">Units for the busiest minute cost less than on demand if more than ${Math.round(100 * bill.break_even.provisioned.share)} % of them are used on average.</p>`}`}
  </section>`;
}

const KEYS = [["now", "as they are"], ["equal", "all equally frequent"], ["hot", "one key is hot"]];

export function WhatIf({ table, heat, minutes }) {
  const provisioned = modeOf(table) === "PROVISIONED";
  const units = table.ProvisionedThroughput ?? {};
  const load = loadOf(minutes);
  const nowHot = hotShareOf(heat, table.TableName);
  const [form, change] = useState({
    reads: String(rate(load.reads)), writes: String(rate(load.writes)), mode: provisioned ? "on-demand" : "provisioned",
    readUnits: String(Math.max(1, Math.ceil((load.reads * load.readPeak) / 0.7))), writeUnits: String(Math.max(1, Math.ceil((load.writes * load.writePeak) / 0.7))), keys: "now", share: "50", shards: "1",
  });
  const [state, set] = useState({});
  const field = (name) => ({ value: form[name], onValue: (text) => change({ ...form, [name]: text }), inputmode: "decimal" });
  const number = (text) => Number(text) || 0;
  const run = async (event) => {
    event.preventDefault();
    set({ at: true });
    const items = Math.max(1, table.ItemCount);
    const hot = { now: nowHot, equal: 0, hot: Math.min(1, number(form.share) / 100) }[form.keys];
    const now = { Mode: provisioned ? "provisioned" : "on-demand", ReadUnits: Math.max(1, units.ReadCapacityUnits ?? 1), WriteUnits: Math.max(1, units.WriteCapacityUnits ?? 1), Keys: { Count: items, HotShare: nowHot } };
    const changed = { Mode: form.mode, ReadUnits: Math.max(1, number(form.readUnits)), WriteUnits: Math.max(1, number(form.writeUnits)), Keys: { Count: items, HotShare: hot, Shards: Math.max(1, Math.round(number(form.shards))) } };
    try {
      set(await ask("what-if", { TableName: table.TableName, ReadUnits: number(form.reads), WriteUnits: number(form.writes), Designs: [now, changed] }));
    } catch (error) {
      set({ error });
    }
  };
  useEffect(() => set({}), [table.TableName]);
  return html`<section class="card" aria-label="What if">
    <h2>What if</h2>
    <p class="muted">Simulates the same load on the table as it is and as it could be; nothing is changed. With shards each key becomes several, as <code>KEY#0</code> to <code>KEY#9</code>: writes are spread, and reads of all of a key ask each.</p>
    <form class="fields" onSubmit=${run}>
      <${Text} label="Read units a second" ...${field("reads")} /><${Text} label="Write units a second" ...${field("writes")} />
      <${Select} label="Mode" options=${[["on-demand", "on demand"], ["provisioned", "provisioned"]]} value=${form.mode} onValue=${(mode) => change({ ...form, mode })} />
      ${form.mode === "provisioned" && html`<${Text} label="Provisioned read units" ...${field("readUnits")} /><${Text} label="Provisioned write units" ...${field("writeUnits")} />`}
      <${Select} label="Partition keys" options=${KEYS} value=${form.keys} onValue=${(keys) => change({ ...form, keys })} />
      ${form.keys === "hot" && html`<${Text} label="Its share of the requests, in %" ...${field("share")} />`}
      <${Text} label="Shards of each key" ...${field("shards")} />
      <button type="submit" class="button primary" disabled=${Boolean(state.at)}>Simulate</button>
    </form>
    ${state.at && html`<p class="loading" role="status">Simulating, some seconds …</p>`}
    <${ErrorBox} error=${state.error} />
    ${state.designs && html`<${Outcomes} designs=${state.designs} />`}
  </section>`;
}

function Outcomes({ designs }) {
  const seconds = designs[0].seconds;
  const share = ({ requests, throttled }) => (requests ? `${((100 * throttled) / requests).toFixed(throttled && throttled < requests / 100 ? 2 : 0)} %` : "–");
  const rows = [
    ...designs[0].kinds.flatMap(({ name }, at) => [
      [`Throttled ${name}`, (each) => share(each.kinds[at])],
      [`Throttled ${name}, last minute`, (each) => `${Math.round(100 * each.kinds[at].last_share)} %`],
    ]),
    ["Reasons", (each) => Object.keys(each.throttled).join(", ") || "–"],
    ["Partitions", (each) => (each.partitions === each.partitions_before ? count(each.partitions) : `${count(each.partitions_before)} → ${count(each.partitions)}`)],
    ["Splits", (each) => count(each.splits)],
    ["Capacity and storage a month", (each) => money(each.monthly_usd)],
  ];
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Simulation"><table class="list">
      <thead><tr><td></td><th scope="col">As it is</th><th scope="col">Changed</th></tr></thead>
      <tbody>${rows.map(([name, text]) => html`<tr><th scope="row">${name}</th>${designs.map((each) => html`<td>${text(each)}</td>`)}</tr>`)}</tbody></table></div>
    <p class="muted">${Math.round(seconds / 60)} min were simulated. Tables begin with the burst of five minutes, so look at the last minute, too.</p>`;
}
