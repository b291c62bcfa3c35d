// Capacity and heat of a table: partitions as they are used, hot keys, the last hour, scaling, costs.
import { html, useEffect, useRef, useState } from "../vendor/ui.js";
import { ask, call, scope, session } from "../api.js";
import { address, Badge, Button, bytes, count, Empty, ErrorBox, Loading, plural, Time, toast, useLoaded, useValue } from "../parts.js";
import { LineChart, shortNumber } from "../chart.js";
import { describe, modeOf, unitsText } from "../definition.js";
import { Costs, WhatIf } from "../estimates.js";
import { levelOf, partitionsOf, rangeText, splitsOf } from "../heat.js";
import { visible } from "../json.js";
import { setQuery } from "../lists.js";
import { TableHead } from "./head.js";

const LOOK_MS = 2000;
const SPLITS_MAX = 20;
const KEYS_MAX = 10;

/** The heat of a table, looked at every two seconds while the page is visible and not paused. */
function useHeat(name, paused) {
  const [state, set] = useState({ splits: [] });
  const last = useRef(null);
  useEffect(() => {
    let current = true;
    let timer;
    const look = async () => {
      if (!document.hidden) {
        try {
          const heat = await ask("capacity", { TableName: name });
          if (!current) return;
          const before = last.current;
          last.current = heat;
          const found = before ? splitsOf(heat.places, before.places).map((text) => ({ text, at: heat.at_ms / 1000 })) : [];
          set(({ splits }) => ({ heat, before, splits: [...found, ...splits].slice(0, SPLITS_MAX) }));
        } catch (error) {
          if (current) set((earlier) => ({ ...earlier, error }));
        }
      }
      if (current && !paused) timer = setTimeout(look, LOOK_MS);
    };
    if (!paused || !last.current) look();
    return () => { current = false; clearTimeout(timer); };
  }, [name, paused]);
  return state;
}

export default function Capacity({ table: name }) {
  const { value: table, error } = useLoaded(() => describe(name), [name]);
  const elsewhere = useValue(scope).endpoint;
  return html`<${TableHead} name=${name} table=${table} page="capacity" />
    <${ErrorBox} error=${error} />
    ${!table && !error && html`<${Loading} />`}
    ${table && elsewhere && html`<${Empty} title="Only this server tells how its tables are used"><p>Choose <em>this server</em> above; for ${elsewhere} use its CloudWatch.</p><//>`}
    ${table && !elsewhere && html`<${Heat} table=${table} />`}`;
}

function Heat({ table }) {
  const [paused, pause] = useState(false);
  const { heat, before, splits, error } = useHeat(table.TableName, paused);
  const hour = usePast(table.TableName, 1);
  if (!heat) return html`<${ErrorBox} error=${error} />${!error && html`<${Loading} />`}`;
  const seconds = before ? Math.max(0.5, (heat.at_ms - before.at_ms) / 1000) : 0;
  return html`
    <div class="toolbar"><${Badge} kind="on">${modeOf(table) === "PROVISIONED" ? `provisioned: ${unitsText(table)}` : "on demand"}<//>
      <span class="muted" role="status">${paused ? "Paused" : "Live, every 2 s"}</span><div class="spacer"></div>
      <${Button} aria-pressed=${paused} onClick=${() => pause(!paused)}>${paused ? "Go on" : "Pause"}<//></div>
    <${ErrorBox} error=${error} />
    <${Charts} name=${table.TableName} last=${hour} provisioned=${modeOf(table) === "PROVISIONED"} />
    ${heat.throttles ? heat.places.map((place) => html`<${Place} key=${place.index} place=${place} before=${before?.places.find((each) => each.index === place.index)} seconds=${seconds} />`) : html`<${NoPartitions} />`}
    ${heat.throttles && html`<section class="card" aria-label="Splits"><h2>Splits</h2>
      ${splits.length ? html`<ul>${splits.map((each) => html`<li><${Time} at=${each.at} /> ${each.text}</li>`)}</ul>` : html`<p class="muted">None since this page was opened. A partition splits when it is hot for five minutes, or larger than 10 GB.</p>`}</section>`}
    <div class="cards wide-cards">
      <${HotKeys} heat=${heat} table=${table} />
      <${Scaling} name=${table.TableName} provisioned=${modeOf(table) === "PROVISIONED"} />
      ${hour.minutes && html`<${Costs} table=${table} minutes=${hour.minutes} />`}
    </div>
    ${hour.minutes && html`<${WhatIf} table=${table} heat=${heat} minutes=${hour.minutes} />`}`;
}

function NoPartitions() {
  return html`<${Empty} title="This server does not limit requests, so it has no partitions" command="hashrange serve --throttle on">
    <p>With <code>--throttle on</code> tables have DynamoDB's partitions, bursts and splits, and this page shows them as they are used.</p><//>`;
}

/* The last hour, and what was before */

const RANGES = [[1, "1 hour"], [3, "3 hours"], [24, "1 day"], [168, "7 days"]];
const PAST_MS = 60000;

/** The minutes of some hours of a table, asked for each minute; or the error. */
function usePast(name, hours) {
  const [past, set] = useState({});
  useEffect(() => {
    let current = true;
    const load = () => ask("history", { TableName: name, Hours: hours }).then((value) => current && set({ hours, ...value }), (error) => current && set({ hours, error }));
    load();
    const timer = setInterval(load, PAST_MS);
    return () => { current = false; clearInterval(timer); };
  }, [name, hours]);
  return past.hours === hours ? past : {};
}

function Charts({ name, last, provisioned }) {
  const hours = Number(useValue(address).query.get("hours") ?? 1);
  return html`<div class="toolbar"><label>Charts of <select value=${hours} onChange=${(event) => setQuery({ hours: event.target.value === "1" ? "" : event.target.value }, { replace: true })}>${RANGES.map(([value, text]) => html`<option value=${value} selected=${value === hours}>${text}</option>`)}</select></label></div>
    ${hours === 1 ? html`<${Past} past=${last} provisioned=${provisioned} />` : html`<${Earlier} name=${name} hours=${hours} provisioned=${provisioned} />`}`;
}

const Earlier = ({ name, hours, provisioned }) => html`<${Past} past=${usePast(name, hours)} provisioned=${provisioned} />`;

const Past = ({ past, provisioned }) => html`<${ErrorBox} error=${past.error} />
  ${!past.minutes && !past.error && html`<${Loading} />`}
  ${past.minutes && html`<${Lines} minutes=${past.minutes} provisioned=${provisioned} />`}`;

function Lines({ minutes, provisioned }) {
  const times = minutes.map((each) => each.at_ms);
  const line = (name, color, member, more = {}) => ({ name, color, values: minutes.map((each) => each[member]), ...more });
  const ms = (value) => (value === null || value === undefined ? "–" : `${shortNumber(value)} ms`);
  return html`<div class="charts">
    <${LineChart} label="Read units a second" times=${times} series=${[line("consumed", 0, "read_units"), ...(provisioned ? [line("provisioned", 1, "read_provisioned", { dashed: true })] : [])]} />
    <${LineChart} label="Write units a second" times=${times} series=${[line("consumed", 0, "write_units"), ...(provisioned ? [line("provisioned", 1, "write_provisioned", { dashed: true })] : [])]} />
    <${LineChart} label="Throttled a second" times=${times} series=${[line("reads", 2, "throttled_reads"), line("writes", 3, "throttled_writes")]} />
    <${LineChart} label="Latency" times=${times} text=${ms} series=${[line("p50", 0, "p50_ms"), line("p99", 1, "p99_ms")]} />
    <${LineChart} label="Conflicts" times=${times} series=${[line("conflicts a second", 3, "conflicts"), line("conditions not met", 5, "conditions")]} />
  </div>`;
}

/* Partitions */

function Place({ place, before, seconds }) {
  const partitions = partitionsOf(place, before, seconds || 1);
  const sum = (member) => partitions.reduce((total, each) => total + each[member], 0);
  const title = place.index ? `Index ${place.index}` : "Table";
  const left = (value, most) => (most ? `${shortNumber(value)} (${shortNumber(value / most)} s)` : shortNumber(value));
  return html`<section class="card" aria-label=${title}>
    <div class="row"><h2>${title}</h2><span class="muted">${plural(place.partition_count, "partition")} · serves ${shortNumber(place.read_rate)} reads and ${shortNumber(place.write_rate)} writes a second · left for bursts: ${left(place.read_left, place.read_rate)} reads, ${left(place.write_left, place.write_rate)} writes</span>
      <div class="spacer"></div>${seconds > 0 && html`<span class="figures"><strong>${shortNumber(sum("reads"))}</strong> reads · <strong>${shortNumber(sum("writes"))}</strong> writes · <strong class=${sum("throttled") ? "fault" : ""}>${shortNumber(sum("throttled"))}</strong> throttled a second</span>`}</div>
    <div class="partitions" aria-hidden="true">${partitions.map((each) => html`<div key=${each.number} class=${`h${levelOf(each)} ${each.throttled ? "throttled" : ""} ${each.isNew ? "new" : ""}`} style=${{ flexGrow: each.width }} title=${`Partition ${each.number}: ${rangeText(each)}`}><span>${each.number}</span></div>`)}</div>
    <p class="muted scale" aria-hidden="true"><span>0 %</span><span class="levels-key">unused ${[0, 1, 2, 3, 4, 5].map((each) => html`<i class=${`h${each}`}></i>`)} full <i class="h0 throttled"></i> throttled</span><span>100 %</span></p>
    <details><summary>${plural(partitions.length, "partition")} as a list</summary>
    <div class="scroll" tabindex="0" role="region" aria-label=${`Partitions: ${title}`}><table class="list">
      <thead><tr><th scope="col">Partition</th><th scope="col">Range of hash</th>${["Size", "Reads a second", "Writes a second", "Throttled a second", "Reads left", "Writes left"].map((each) => html`<th scope="col" class="number">${each}</th>`)}</tr></thead>
      <tbody>${partitions.map((each) => html`<tr key=${each.number}><th scope="row">${each.number} ${each.isNew && html`<${Badge} kind="on">new<//>`}</th><td>${rangeText(each)}</td><td class="number">${bytes(each.item_bytes)}</td>
        ${["reads", "writes", "throttled"].map((member) => html`<td class=${`number ${member === "throttled" && each.throttled ? "fault" : ""}`}>${seconds ? shortNumber(each[member]) : "–"}</td>`)}
        <td class="number">${shortNumber(each.read_left)}</td><td class="number">${shortNumber(each.write_left)}</td></tr>`)}</tbody></table></div></details>
    ${place.partition_count > partitions.length && html`<p class="muted">${count(place.partition_count - partitions.length)} more are not shown.</p>`}
  </section>`;
}

/* Hot keys */

function KeyRows({ rows, unit }) {
  const most = Math.max(1, ...rows.map((each) => each.count));
  return html`<ol class="keys">${rows.slice(0, KEYS_MAX).map((each) => html`<li><span class="mono cut" title=${visible(each.key)}>${visible(each.key)}</span>${each.index && html`<span class="muted">${each.index}</span>`}
    <meter min="0" max=${most} value=${each.count} aria-label=${`${each.key}: ${shortNumber(each.count)} ${unit}`}></meter><span class="number">${each.share === undefined ? shortNumber(each.count) : `${Math.round(100 * each.share)} %`}</span></li>`)}</ol>`;
}

function HotKeys({ heat, table }) {
  const name = table.TableName;
  const readOnly = useValue(session).console === "read-only";
  const [enabled, set] = useState(false);
  if (heat.keys !== "shown") {
    return html`<section class="card" aria-label="Hottest keys"><h2>Hottest keys</h2><p class="muted">${heat.keys === "denied" ? "Keys are data: you may not scan this table, so they are not shown." : html`This server does not show keys. Start it with <code>--hot-keys on</code>.`}</p></section>`;
  }
  const total = heat.hot_keys.reduce((sum, each) => sum + each.count, 0);
  const sampled = heat.hot_keys.map((each) => ({ key: each.key, count: each.count, share: each.count / total, index: each.table.split("/")[1] }));
  const newest = (rule) => heat.contributors.filter((each) => each.rule === rule).flatMap((each) => each.keys.map((key) => ({ key: key.key, count: key.count, index: each.index })));
  const throttled = newest("PKT");
  const enable = async () => {
    try {
      await call("UpdateContributorInsights", { TableName: name, ContributorInsightsAction: "ENABLE" });
      set(true);
    } catch (error) {
      toast(`${error.type}: ${error.message}`, { kind: "warn" });
    }
  };
  return html`<section class="card" aria-label="Hottest keys"><h2>Hottest keys</h2>
    <h3>By requests</h3>
    ${sampled.length ? html`<${KeyRows} rows=${sampled} unit="samples" /><p class="muted">Of one request in 32, sampled while this page is open.</p>` : html`<p class="muted">No request was sampled yet; one in 32 is, while this page is open.</p>`}
    <h3>By throttled requests</h3>
    ${throttled.length ? html`<${KeyRows} rows=${throttled} unit="throttled requests" />` : html`<p class="muted">${heat.throttles ? "None was counted." : "Nothing is throttled without --throttle on."} ${heat.contributors.length || enabled ? "" : "Contributor insights count them, and are off."}</p>`}
    ${heat.throttles && !heat.contributors.length && !enabled && !readOnly && html`<div class="row"><${Button} kind="small" onClick=${enable}>Enable contributor insights<//></div>`}
  </section>`;
}

/* Auto scaling */

async function scalingOf(name) {
  const own = ({ ResourceId: id }) => id === `table/${name}` || id.startsWith(`table/${name}/`);
  const ask = (operation) => call(`scaling:${operation}`, { ServiceNamespace: "dynamodb" });
  const [targets, policies, activities] = await Promise.all([ask("DescribeScalableTargets"), ask("DescribeScalingPolicies"), ask("DescribeScalingActivities")]);
  return { targets: targets.ScalableTargets.filter(own), policies: policies.ScalingPolicies.filter(own), activities: activities.ScalingActivities.filter(own).slice(0, 10) };
}

const placeOf = (id, name) => id.slice(`table/${name}`.length).replace("/index/", "") || "table";
const kindOf = (dimension) => (dimension.endsWith("ReadCapacityUnits") ? "reads" : "writes");

function Scaling({ name, provisioned }) {
  const { value, error, again } = useLoaded(() => scalingOf(name), [name]);
  const target = ({ ResourceId: id, ScalableDimension: dimension }) => value.policies.find((each) => each.ResourceId === id && each.ScalableDimension === dimension)?.TargetTrackingScalingPolicyConfiguration?.TargetValue;
  return html`<section class="card" aria-label="Auto scaling">
    <div class="row"><h2>Auto scaling</h2><div class="spacer"></div><${Button} kind="quiet small" onClick=${again} aria-label="Read auto scaling again">↻<//></div>
    <${ErrorBox} error=${error} />
    ${value && !value.targets.length && html`<p class="muted">${provisioned ? "No scalable target: units stay as they are. Register one with Application Auto Scaling:" : "A table on demand needs none."}</p>${provisioned && html`<pre><code>aws application-autoscaling register-scalable-target --service-namespace dynamodb --resource-id table/${name} --scalable-dimension dynamodb:table:WriteCapacityUnits --min-capacity 1 --max-capacity 100 --endpoint-url ${location.origin}</code></pre>`}`}
    ${value?.targets.length > 0 && html`<div class="scroll" tabindex="0" role="region" aria-label="Scalable targets"><table class="list"><thead><tr><th scope="col">Place</th><th scope="col">Units</th><th scope="col" class="number">From</th><th scope="col" class="number">To</th><th scope="col" class="number">Target</th></tr></thead>
      <tbody>${value.targets.map((each) => html`<tr><th scope="row">${placeOf(each.ResourceId, name)}</th><td>${kindOf(each.ScalableDimension)}</td><td class="number">${each.MinCapacity}</td><td class="number">${each.MaxCapacity}</td><td class="number">${target(each) === undefined ? "–" : `${target(each)} %`}</td></tr>`)}</tbody></table></div>
      <h3>Activities</h3>
      ${value.activities.length ? html`<ul>${value.activities.map((each) => html`<li><${Time} at=${each.StartTime} /> <${Badge} kind=${each.StatusCode === "Successful" ? "ok" : "warn"}>${each.StatusCode}<//> ${each.Description}</li>`)}</ul>` : html`<p class="muted">None yet: after each minute the use is compared with the target.</p>`}`}
  </section>`;
}
