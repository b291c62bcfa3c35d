// Item collections: all items under one partition key together, coloured by what they are.
import { html, useMemo, useState } from "./vendor/ui.js";
import { visible } from "./json.js";
import { Button, count, plural } from "./parts.js";
import { keysOf } from "./query.js";
import { own, preview, typeOf } from "./values.js";

const TYPE_NAMES = ["type", "Type", "entity", "Entity", "entityType", "EntityType", "_type", "_et", "__edb_e__", "__typename", "kind"];
const COLORS = 8;
const FIRST = 30;
const LONG = 40;

/** What an item is: by an attribute that says so, or by the part of its sort or partition key before a separator. */
export function entityOf(item, keys) {
  const named = TYPE_NAMES.find((name) => own(item, name)?.S);
  if (named) return item[named].S;
  for (const { name } of [...keys].reverse()) {
    const found = /^([A-Za-z][A-Za-z_-]*)[#|:/]/.exec(item[name]?.S ?? "");
    if (found) return found[1];
  }
  const sort = keys.find((each) => each.kind === "RANGE");
  return sort && /^[A-Z][A-Z_]+$/.test(item[sort.name]?.S ?? "") ? item[sort.name].S : "item";
}

export function Collections({ items, table, query, onOpen }) {
  const [most, more] = useState(FIRST);
  const keys = keysOf(table, query.index);
  const hash = keys.filter((each) => each.kind === "HASH").map((each) => each.name);
  const sort = keys.filter((each) => each.kind === "RANGE").map((each) => each.name);
  const { groups, entities } = useMemo(() => {
    const found = new Map();
    const kinds = new Map();
    for (const [row, item] of items.entries()) {
      const id = hash.map((name) => (item[name] ? preview(item[name]) : "?")).join(" / ");
      const entity = entityOf(item, keys);
      kinds.set(entity, (kinds.get(entity) ?? 0) + 1);
      if (!found.has(id)) found.set(id, []);
      found.get(id).push({ row, item, entity });
    }
    return { groups: [...found], entities: [...kinds.keys()].sort() };
  }, [items]);
  const color = (entity) => `e${entities.indexOf(entity) % COLORS}`;
  const shown = new Set([...hash, ...sort]);
  return html`<section class="collections" aria-label="Item collections">
    <ul class="legend">${entities.map((entity) => html`<li class=${color(entity)} key=${entity}>${visible(entity)}</li>`)}</ul>
    ${groups.slice(0, most).map(([id, members]) => html`<section class="collection" key=${id} aria-label=${id}>
      <h3 class="mono">${id} <small class="muted">${plural(members.length, "item")}</small></h3>
      <ul>${members.slice(0, LONG).map(({ row, item, entity }) => html`<li key=${row} class=${color(entity)}>
        <button type="button" onClick=${() => onOpen(row)}>
          <strong>${visible(entity)}</strong> <span class="mono">${sort.map((name) => (item[name] ? preview(item[name], 60) : "")).join(" / ")}</span>
          <span class="rest">${Object.entries(item).filter(([name]) => !shown.has(name)).slice(0, 8).map(([name, value]) => html`<span key=${name}><em>${visible(name)}</em> ${preview(value, 40)} <small>${typeOf(value)}</small></span>`)}</span>
        </button></li>`)}</ul>
      ${members.length > LONG && html`<p class="muted">and ${count(members.length - LONG)} more: query this key to see them</p>`}
    </section>`)}
    ${groups.length > most && html`<p><${Button} onClick=${() => more(most + FIRST)}>Show more collections (${groups.length - most})<//></p>`}
  </section>`;
}
