// Parts of a model: its tables, item collections by partition key, access patterns, sample items, and cost.
import { html, useState } from "./vendor/ui.js";
import { Badge, Button, bytes, count, Dialog, plural, Select } from "./parts.js";
import { Facts, Panel, Rows } from "./lists.js";
import { Collections } from "./collection.js";
import { money, WAYS } from "./estimates.js";
import { emptyQuery, keysOf } from "./query.js";
import { dynamoText } from "./values.js";

const COLORS = 8;
const list = (value) => (Array.isArray(value) ? value.join(", ") : value);
const projection = (index) => (Array.isArray(index.projection) ? `includes ${index.projection.join(", ")}` : index.projection ?? "ALL");

/** The indexes of a table of a model, in words. */
export const indexText = (index, table) => `${index.kind ?? "global"} index ${index.name}: ${[list(index.partition_key ?? table.partition_key), list(index.sort_key)].filter(Boolean).join(" + ")}, ${projection(index)}`;
export const Line = ({ of, go }) => of.line && html`<${Button} kind="link" onClick=${() => go(of.line)}>line ${of.line}<//>`;

export function TablesOf({ model, go }) {
  return html`${model.description && html`<p>${model.description}</p>`}
    ${model.tables.map((table) => html`<${Panel} key=${table.name} title=${`Table ${table.name}`}><${Facts} rows=${[
      ["Partition key", html`<code>${table.partition_key}</code>`], table.sort_key && ["Sort key", html`<code>${table.sort_key}</code>`],
      ["Capacity", table.billing_mode === "PROVISIONED" ? `provisioned, ${count(table.read_units)} read and ${count(table.write_units)} write units` : "on demand"],
      table.time_to_live && ["Time to live", html`<code>${table.time_to_live}</code>`], table.stream && ["Stream", table.stream], table.recovery_days && ["Recovery", plural(table.recovery_days, "day")],
    ]} />${(table.indexes ?? []).length > 0 && html`<${Rows} label=${`Indexes of ${table.name}`} head=${["Index", "Kind", "Key", "Projection"]}>${table.indexes.map((each) => html`<tr key=${each.name}><th scope="row">${each.name}</th><td>${each.kind ?? "global"}</td>
      <td><code>${[list(each.partition_key ?? table.partition_key), list(each.sort_key)].filter(Boolean).join(" + ")}</code></td><td>${projection(each)}</td></tr>`)}<//>`}<//>`)}
    ${model.entities.map((entity) => html`<${Panel} key=${entity.name} title=${`Entity ${entity.name}`} actions=${html`<${Line} of=${entity} go=${go} />`}>
      <p class="muted">${entity.description ? `${entity.description} ` : ""}${[entity.table && `in ${entity.table}`, entity.items !== null && plural(entity.items, "item"), entity.bytes && `${bytes(entity.bytes)} each`].filter(Boolean).join(" · ")}</p>
      <${Rows} label=${`Attributes of ${entity.name}`} head=${["Attribute", "Type", "Template"]}>${[...new Set([...Object.keys(entity.templates), ...Object.keys(entity.attributes)])].map((name) => html`<tr key=${name}><th scope="row">${name}${entity.optional.includes(name) && html` <span class="muted">optional</span>`}</th>
        <td>${entity.attributes[name] ?? html`<span class="muted">of the key</span>`}</td><td>${entity.templates[name] ? html`<code>${entity.templates[name]}</code>` : ""}</td></tr>`)}<//><//>`)}`;
}

const names = (keys) => [keys].flat().filter(Boolean).map((each) => each.slice(0, each.lastIndexOf(":")));

/** Whether an attribute is in the items of a table, or is projected into an index of it. */
function isThere(table, indexName) {
  const index = table?.indexes?.find((each) => each.name === indexName);
  const projection = index?.projection ?? "ALL";
  if (!index || projection === "ALL") return () => true;
  const there = new Set([table, index].flatMap((each) => [...names(each.partition_key), ...names(each.sort_key)]).concat(Array.isArray(projection) ? projection : []));
  return (name) => there.has(name);
}

/** Facets: for each table and index the item collections, with the entities in each. */
export function Facets({ model }) {
  if (!model.collections.length) return html`<p class="muted">No entity has the keys of a table.</p>`;
  const color = (name) => `e${model.entities.findIndex((each) => each.name === name) % COLORS}`;
  const places = Map.groupBy(model.collections, (each) => JSON.stringify([each.table, each.index]));
  return html`${[...places].map(([id, collections]) => {
    const { table, index } = collections[0];
    const there = isThere(model.tables.find((each) => each.name === table), index);
    const title = index === null ? `Table ${table}` : `Index ${index} of ${table}`;
    return html`<${Panel} key=${id} title=${title}><${Rows} label=${`Item collections: ${title}`} head=${["Partition key", "Sort key", "Entity", "Attributes"]}>${collections.map(({ partition, members }) => members.map(([name, sort], at) => {
      const entity = model.entities.find((each) => each.name === name);
      return html`<tr key=${partition + name}>${at === 0 && html`<th scope="rowgroup" rowspan=${members.length}><code>${partition}</code></th>`}<td><code>${sort}</code></td><td class=${`entity ${color(name)}`}><strong>${name}</strong></td>
        <td class="muted names">${Object.keys(entity?.attributes ?? {}).filter(there).join(", ") || "keys only"}</td></tr>`;
    }))}<//><//>`;
  })}`;
}

export function Patterns({ model, go }) {
  if (!model.patterns.length) return html`<p class="muted">The model has no access patterns.</p>`;
  return html`<${Rows} label="Access patterns" head=${["Pattern", "Request", ["Per second", "number"], ["Units of one", "number"], ["A month", "number"]]}>${model.patterns.map((each) => html`<tr key=${each.name}>
    <th scope="row">${each.name} <${Line} of=${each} go=${go} />${each.description && html`<div class="muted said">${each.description}</div>`}</th>
    <td><${Badge}>${each.operation}<//> ${each.index ? `${each.table} / ${each.index}` : each.table}${each.entity ? ` · ${each.entity}` : ""}${each.asked && html`<div class="said"><code>${each.asked}</code></div>`}</td>
    <td class="number">${each.rate || "–"}</td><td class="number">${each.readUnits === null ? "–" : each.writeUnits ? `${count(each.writeUnits)} write` : `${count(each.readUnits)} read`}</td><td class="number">${each.monthly === null ? "–" : money(each.monthly)}</td></tr>`)}<//>`;
}

/** The samples of a table, as the items of a partition key in the table or in an index. */
export function Items({ model }) {
  const places = model.tables.flatMap((table, at) => [[`${at}`, `Table ${table.name}`], ...(table.indexes ?? []).map((each) => [`${at}/${each.name}`, `Index ${each.name} of ${table.name}`])]);
  const [chosen, choose] = useState("0");
  const [item, show] = useState(null);
  const place = places.some(([id]) => id === chosen) ? chosen : "0";
  const cut = place.indexOf("/");
  const table = model.tables[Number.parseInt(place, 10)];
  const query = { ...emptyQuery(), index: cut < 0 ? "" : place.slice(cut + 1) };
  const keys = keysOf(table.request, query.index);
  const items = table.samples.filter((each) => keys.every(({ name }) => each[name]));
  return html`<h2>Sample items</h2><${Select} label="Items of" options=${places} value=${place} onValue=${choose} />
    ${table.generated.length > 0 && html`<p class="muted">Made up, for want of samples: ${table.generated.join(", ")}.</p>`}
    ${items.length ? html`<${Collections} items=${items} table=${table.request} query=${query} onOpen=${(row) => show(items[row])} />` : html`<p class="muted">No entity has an item here.</p>`}
    ${item && html`<${Dialog} title="Item" onClose=${() => show(null)}><pre tabindex="0" aria-label="The item">${dynamoText(item)}</pre><//>`}`;
}

export function Costs({ model }) {
  const { monthly, leftOut, storageGb } = model.costs;
  const least = Math.min(...Object.values(monthly).filter((each) => each !== null));
  return html`<p class="muted">A month of all access patterns at their rates, and ${bytes(storageGb * 2 ** 30)} of items, at AWS's list prices in us-east-1.</p>
    <${Rows} label="Cost of a month" head=${["Way of paying", ["A month", "number"]]}>${WAYS.filter(([way]) => way in monthly).map(([way, text]) => html`<tr key=${way}><th scope="row">${text} ${monthly[way] === least && html`<${Badge} kind="ok">cheapest<//>`}</th><td class="number">${money(monthly[way])}</td></tr>`)}<//>
    ${leftOut.length > 0 && html`<p class="muted">Not counted: ${leftOut.join(", ")}.</p>`}`;
}
