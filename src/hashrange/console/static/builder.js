// The fields of the query builder, its history and saved queries.
import { html, useState } from "./vendor/ui.js";
import { isPartitioned, keep, read } from "./api.js";
import { Button, Check, Choice, count, Menu, Select, Text } from "./parts.js";
import { allIndexes, emptyFilter, emptyQuery, estimate, expressionText, FILTER_OPERATORS, isGlobal, keysOf, QueryFault, queryText, requestOf, SORT_OPERATORS, takesValue, VALUE_TYPES } from "./query.js";

const HISTORY_MAX = 30;

export const historyOf = (name) => read(`history.${name}`, []);

export function remember(name, query, summary) {
  const text = queryText(query);
  const entry = { text, summary, at: Date.now() };
  keep(`history.${name}`, [entry, ...historyOf(name).filter((each) => each.text !== text)].slice(0, HISTORY_MAX));
}

/** A query in words. */
export function summaryOf(table, query) {
  const { operation, request } = requestOf(table, query);
  const where = [request.KeyConditionExpression, request.FilterExpression].map((each) => expressionText(each, request)).filter(Boolean);
  return [operation, query.index && `on ${query.index}`, where.join(", filter ")].filter(Boolean).join(" ");
}

function KeyFields({ table, query, change }) {
  const keys = keysOf(table, query.index);
  const hash = keys.filter((each) => each.kind === "HASH");
  const range = keys.filter((each) => each.kind === "RANGE");
  const setPart = (member, at, value) => {
    const next = [...query[member]];
    next[at] = value;
    change({ [member]: [...next].map((each) => each ?? (member === "pk" ? "" : {})) });
  };
  return html`
    ${hash.map(({ name, type }, at) => html`<${Text} label=${`${name} (partition key, ${type})`} value=${query.pk[at] ?? ""} onValue=${(value) => setPart("pk", at, value)} />`)}
    ${range.map(({ name, type }, at) => {
      const part = query.sk[at] ?? {};
      const set = (each) => setPart("sk", at, { ...part, ...each });
      const operators = type === "N" ? SORT_OPERATORS.filter((each) => each !== "begins_with") : SORT_OPERATORS;
      return html`<fieldset class="inline"><legend>${name} (sort key, ${type})</legend><div class="row">
        <${Choice} aria-label=${`${name}: operator`} options=${operators} value=${part.op ?? ""} onValue=${(op) => set({ op })} />
        ${part.op && html`<input aria-label=${`${name}: value`} value=${part.a ?? ""} onInput=${(event) => set({ a: event.target.value })} spellcheck=${false} />`}
        ${part.op === "between" && html`<span>and</span><input aria-label=${`${name}: upper value`} value=${part.b ?? ""} onInput=${(event) => set({ b: event.target.value })} spellcheck=${false} />`}
      </div></fieldset>`;
    })}`;
}

function Filter({ filter, at, names, onFilter, onRemove }) {
  const change = (part) => onFilter({ ...filter, ...part });
  const shows = takesValue(filter.op, filter.type);
  const own = filter.op === "type" || filter.op.startsWith("size ");
  return html`<div class="row filter">
    <input aria-label=${`Filter ${at + 1}: attribute`} placeholder="attribute or path" list="attribute-names" value=${filter.path} onInput=${(event) => change({ path: event.target.value })} spellcheck=${false} />
    <${Choice} aria-label=${`Filter ${at + 1}: operator`} options=${FILTER_OPERATORS} value=${filter.op} onValue=${(op) => change({ op })} />
    ${shows && !own && html`<${Choice} aria-label=${`Filter ${at + 1}: type`} options=${VALUE_TYPES} value=${filter.type} onValue=${(type) => change({ type })} />`}
    ${shows && html`<input aria-label=${`Filter ${at + 1}: value`} placeholder=${filter.op === "in" ? "values, separated by commas" : filter.op === "type" ? "S, N, B, M, L, SS …" : "value"} value=${filter.a} onInput=${(event) => change({ a: event.target.value })} spellcheck=${false} />`}
    ${filter.op === "between" && html`<span>and</span><input aria-label=${`Filter ${at + 1}: upper value`} value=${filter.b} onInput=${(event) => change({ b: event.target.value })} spellcheck=${false} />`}
    <${Button} kind="quiet small" aria-label=${`Remove filter ${at + 1}`} onClick=${onRemove}>✕<//>
  </div>`;
}

/** The expression of a query and what it will cost, or what is missing. */
export function Outlook({ table, query, fault }) {
  let found;
  try {
    found = requestOf(table, query);
  } catch (error) {
    if (!(error instanceof QueryFault)) throw error;
    return html`<p class=${fault ? "fault" : "muted"} role=${fault ? "alert" : undefined}>${error.message}</p>`;
  }
  const { request } = found;
  const { page, whole, items } = estimate(table, query, isPartitioned());
  const parts = [["key", request.KeyConditionExpression], ["filter", request.FilterExpression], ["fields", request.ProjectionExpression]].filter(([, each]) => each);
  const cost = found.operation === "Scan" ? `about ${count(page)} read units a page, ${count(whole)} for all ${count(items)} items` : `${query.consistent ? 1 : 0.5} read units for each 4 KB that it reads`;
  return html`<p class="outlook"><strong>${found.operation}</strong>
    ${parts.map(([name, each]) => html` <span class="muted">${name}</span> <code>${expressionText(each, request)}</code>`)}
    <span class="muted"> · ${cost}${request.FilterExpression ? "; the filter saves no units" : ""}</span></p>`;
}

/** All fields. `names`: attributes that were seen. */
export function Builder({ table, query, onQuery, onRun, onStop, running, names, fault }) {
  const [all, showAll] = useState(query.fields !== "" || query.consistent || query.filters.length > 0);
  const [saved, setSaved] = useState(read(`saved.${table.TableName}`, []));
  const change = (part) => onQuery({ ...query, ...part });
  const indexes = [["", `${table.TableName} (table)`], ...allIndexes(table).map((each) => [each.IndexName, `${each.IndexName} (${isGlobal(table, each.IndexName) ? "global" : "local"} index)`])];
  const save = (next) => {
    setSaved(next);
    keep(`saved.${table.TableName}`, next);
  };
  const summary = () => {
    try {
      return summaryOf(table, query);
    } catch {
      return "";
    }
  };
  const press = (event) => {
    if (event.key === "Enter" && event.target.tagName === "INPUT" && event.target.type !== "checkbox") onRun();
  };
  const pick = (text) => onRun({ ...emptyQuery(), ...JSON.parse(text || "{}") });
  const past = historyOf(table.TableName);
  return html`<section class="builder" aria-label="Query" onKeyDown=${press}>
    <datalist id="attribute-names">${names.map((name) => html`<option value=${name} />`)}</datalist>
    <div class="fields">
      <${Select} label="Read by" options=${[["scan", "Scan: all items"], ["query", "Query: by key"]]} value=${query.mode} onValue=${(mode) => change({ mode })} />
      <${Select} label="Table or index" options=${indexes} value=${query.index} onValue=${(index) => change({ index, pk: [], sk: [], consistent: isGlobal(table, index) ? false : query.consistent })} />
      ${query.mode === "query" && html`<${KeyFields} table=${table} query=${query} change=${change} />`}
      ${query.mode === "query" && html`<${Select} label="Order" options=${[["asc", "ascending"], ["desc", "descending"]]} value=${query.order} onValue=${(order) => change({ order })} />`}
    </div>
    <details open=${all} onToggle=${(event) => showAll(event.target.open)}><summary>Filters, fields, page${query.filters.length ? ` (${query.filters.length})` : ""}</summary>
      ${query.filters.length > 1 && html`<${Choice} aria-label="Filters are combined by" options=${[["", "all filters hold"], ["1", "one of them holds"]]} value=${query.any ? "1" : ""} onValue=${(any) => change({ any: Boolean(any) })} />`}
      ${query.filters.map((filter, at) => html`<${Filter} key=${at} at=${at} filter=${filter} names=${names}
        onFilter=${(next) => change({ filters: query.filters.map((each, other) => (other === at ? next : each)) })} onRemove=${() => change({ filters: query.filters.filter((_, other) => other !== at) })} />`)}
      <div class="row"><${Button} kind="small" onClick=${() => change({ filters: [...query.filters, emptyFilter()] })}>+ Filter<//></div>
      <div class="fields">
        <${Text} label="Fields" hint="Empty: all. Paths, separated by commas" value=${query.fields} onValue=${(fields) => change({ fields })} />
        <${Text} label="Page size" inputmode="numeric" value=${query.limit} onValue=${(limit) => change({ limit })} />
        <div class="checks"><${Check} label="Read on until a page is full" value=${query.fill} onValue=${(fill) => change({ fill })} />
        <${Check} label="Strongly consistent" value=${query.consistent} onValue=${(consistent) => change({ consistent })} disabled=${isGlobal(table, query.index)} /></div>
      </div>
    </details>
    <div class="row actions">
      ${running ? html`<${Button} key="stop" kind="primary" onClick=${onStop}>Stop<//>` : html`<${Button} key="run" kind="primary" onClick=${() => onRun()} title="Ctrl Enter">Run<//>`}
      <${Button} onClick=${() => onQuery(emptyQuery())}>Clear<//>
      <${Menu} label="History" items=${past.length ? past.slice(0, 12).map((each) => ({ text: each.summary, run: () => pick(each.text) })) : [{ text: "Nothing yet", disabled: true, run: () => {} }]} />
      <${Menu} label="Saved" items=${[
        { text: "Save this query", run: () => save([{ text: queryText(query), summary: summary() || "Scan" }, ...saved.filter((each) => each.text !== queryText(query))]) },
        ...saved.flatMap((each) => [{ text: each.summary, run: () => pick(each.text) }]),
        saved.length > 0 && { text: "Forget all saved queries", danger: true, run: () => save([]) },
      ]} />
      <${Outlook} table=${table} query=${query} fault=${fault} />
    </div>
  </section>`;
}
