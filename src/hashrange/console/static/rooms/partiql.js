// PartiQL: statements with completion, their plan before they run, their results and cost.
import { html, useEffect, useMemo, useRef, useState } from "../vendor/ui.js";
import { all, call, isPartitioned, keep, planOf, read, session } from "../api.js";
import { address, Badge, Button, Check, Choice, Confirm, Copy, count, ErrorBox, Menu, plural, Tabs, useLoaded, useValue } from "../parts.js";
import { describe } from "../definition.js";
import { TextEditor } from "../editor.js";
import { columnsOf, Grid } from "../grid.js";
import { setQuery } from "../lists.js";
import { allIndexes, estimate, emptyQuery, QueryFault, VALUE_TYPES, valueOfText } from "../query.js";
import { isRead, statementsOf, tableOf } from "../statements.js";
import { dynamoText } from "../values.js";
import { AsCode, partiqlName, partiqlValue } from "../code.js";

const HISTORY_MAX = 50;
const WAIT_MS = 350;
const FUNCTIONS = ["attribute_type(", "begins_with(", "contains(", "size(", "EXISTS(", "list_append(", "set_add(", "set_delete("];
const KEYWORDS = ["SELECT", "FROM", "WHERE", "INSERT INTO", "VALUE", "UPDATE", "SET", "REMOVE", "DELETE FROM", "AND", "OR", "NOT", "IN", "BETWEEN", "IS MISSING", "IS NOT MISSING", "IS NULL", "ORDER BY", "ASC", "DESC", "RETURNING ALL OLD *", "RETURNING MODIFIED NEW *"];
const WHY = {
  key: () => "one item by its whole key",
  query: ({ partitions }) => `${plural(partitions, "partition")}, by the partition key`,
  scan: () => "no partition key is compared with = or IN, so all items are read",
  write: () => "one item by its whole key",
};
const TITLES = { key: "GetItem", query: "Query", scan: "Scan", write: "Write" };

const quotedName = (name) => (/^[A-Za-z_][\w]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`);

/** Words for completion: tables, indexes, attributes that are known, functions, keywords. */
function useWords(text) {
  const { value: names = [] } = useLoaded(() => all("ListTables", {}, "TableNames", "LastEvaluatedTableName", "ExclusiveStartTableName").catch(() => []), []);
  const [tables, add] = useState({});
  const seen = useRef(new Set());
  const mentioned = [...new Set(statementsOf(text).map((each) => tableOf(each.text)).filter((name) => names.includes(name)))];
  useEffect(() => {
    for (const name of mentioned.filter((each) => !(each in tables))) {
      describe(name).then(async (table) => {
        const sample = await call("Scan", { TableName: name, Limit: 20 }).catch(() => ({ Items: [] }));
        add((before) => ({ ...before, [name]: { table, attributes: columnsOf(sample.Items, table.KeySchema.map((each) => each.AttributeName)) } }));
      }, () => {});
    }
  }, [mentioned.join("\u0000")]);
  const words = () => [
    ...names.map((name) => ({ label: name, apply: quotedName(name), type: "class", detail: "table" })),
    ...Object.values(tables).flatMap(({ table, attributes }) => [
      ...attributes.map((name) => ({ label: name, apply: quotedName(name), type: "property", detail: table.TableName })),
      ...allIndexes(table).map((each) => ({ label: `${table.TableName}.${each.IndexName}`, apply: `${quotedName(table.TableName)}.${quotedName(each.IndexName)}`, type: "class", detail: "index" })),
    ]),
    ...seen.current,
    ...FUNCTIONS.map((label) => ({ label, type: "function" })),
    ...KEYWORDS.map((label) => ({ label, type: "keyword" })),
  ];
  return { words, tables, names };
}

/** The plan of each statement, or the error. */
const plansOf = (statements, parameters) => Promise.all(statements.map(async (each, at) => {
  try {
    return { plan: await planOf(requestOf(each, parameters[at])) };
  } catch (error) {
    return { error };
  }
}));

/** The plans of statements, read a moment after the last change. */
function usePlans(statements, parameters) {
  const [plans, set] = useState([]);
  const id = JSON.stringify([statements.map((each) => each.text), parameters]);
  useEffect(() => {
    let current = true;
    const timer = setTimeout(async () => {
      const found = await plansOf(statements, parameters);
      if (current) set(found.map((each, at) => ({ ...each, text: statements[at].text })));
    }, WAIT_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [id]);
  return plans;
}

function requestOf({ text, marks }, parameters = []) {
  const request = { Statement: text };
  if (marks) request.Parameters = Array.from({ length: marks }, (_, at) => valueOfText(parameters[at]?.type ?? "S", parameters[at]?.text ?? "", `parameter ${at + 1}`));
  return request;
}

/** The parameters of an address. */
function parametersIn(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

export default function PartiQL() {
  const { query } = useValue(address);
  const facts = useValue(session);
  const [text, set] = useState(query.get("q") ?? read("partiql.text", ""));
  const [given, give] = useState(0);
  const [typed, setTyped] = useState(() => parametersIn(query.get("p")));
  const [consistent, setConsistent] = useState(query.has("consistent"));
  const [results, show] = useState([]);
  const [running, run] = useState(false);
  const [ask, setAsk] = useState(null);
  const statements = useMemo(() => statementsOf(text), [text]);
  const parameters = statements.map((_, at) => typed[at] ?? []);
  const { words, tables } = useWords(text);
  const plans = usePlans(statements, parameters);
  const past = read("partiql.history", []);
  const edit = (next) => {
    set(next);
    keep("partiql.text", next);
  };
  const put = (next) => {
    edit(next);
    give(given + 1);
  };
  const execute = async (anyway = false) => {
    if (running || !statements.length) return;
    const known = await plansOf(statements, parameters);
    const scans = known.map((each, at) => ({ ...each, statement: statements[at] })).filter(({ plan }) => plan?.access === "scan");
    if (scans.length && !anyway) {
      setAsk({ scans });
      return;
    }
    setAsk(null);
    run(true);
    setQuery({ q: text, p: Object.keys(typed).length ? JSON.stringify(typed) : "", consistent: consistent && "1" }, { replace: (query.get("q") ?? "") === text });
    keep("partiql.history", [text, ...past.filter((each) => each !== text)].slice(0, HISTORY_MAX));
    const found = [];
    for (const [at, statement] of statements.entries()) {
      found.push(await performed(statement, parameters[at], consistent, known[at].plan));
      show([...found]);
      if (found.at(-1).error) break;
    }
    run(false);
  };
  const more = async (at) => {
    const before = results[at];
    const next = await performed(before.statement, parameters[at], consistent, before.plan, before);
    show(results.map((each, other) => (other === at ? next : each)));
  };
  const setParameter = (at, mark, part) => {
    const list = [...(typed[at] ?? [])];
    list[mark] = { type: "S", text: "", ...list[mark], ...part };
    setTyped({ ...typed, [at]: list });
  };
  return html`
    <div class="head"><h1>PartiQL</h1><span class="muted">Statements are separated by semicolons.</span><div class="spacer"></div>
      <${Menu} label="History" items=${past.length ? past.slice(0, 12).map((each) => ({ text: each.replace(/\s+/g, " ").slice(0, 90), run: () => put(each) })) : [{ text: "Nothing yet", disabled: true, run: () => {} }]} />
    </div>
    <${TextEditor} label="PartiQL statements" language="partiql" value=${text} given=${given} onValue=${edit} words=${words} onRun=${() => execute()} rows=${10} placeholder=${'SELECT * FROM "table" WHERE pk = \'…\''} />
    ${statements.map((statement, at) => statement.marks > 0 && html`<fieldset class="card parameters" key=${at}><legend>Parameters${statements.length > 1 ? ` of statement ${at + 1}` : ""}</legend>
      ${Array.from({ length: statement.marks }, (_, mark) => html`<div class="row" key=${mark}><span class="muted">${mark + 1}</span>
        <${Choice} aria-label=${`Parameter ${mark + 1}: type`} options=${VALUE_TYPES} value=${parameters[at][mark]?.type ?? "S"} onValue=${(type) => setParameter(at, mark, { type })} />
        <input aria-label=${`Parameter ${mark + 1}: value`} value=${parameters[at][mark]?.text ?? ""} onInput=${(event) => setParameter(at, mark, { text: event.target.value })} spellcheck=${false} /></div>`)}</fieldset>`)}
    <ul class="plans" aria-label="Plans">${plans.filter((each, at) => each.text === statements[at]?.text).map((each, at) => html`<${Plan} key=${at} at=${at} many=${statements.length > 1} tables=${tables} ...${each} />`)}</ul>
    <div class="row actions">
      <${Button} kind="primary" disabled=${running || !statements.length} onClick=${() => execute()} title="Ctrl Enter">Run<//>
      <${Check} label="Strongly consistent" value=${consistent} onValue=${setConsistent} />
      ${facts.console === "read-only" && html`<span class="muted">This console only reads: SELECT.</span>`}
      ${running && html`<span class="loading" role="status">Running ${results.length + 1} of ${statements.length} …</span>`}
    </div>
    ${results.map((result, at) => html`<${Result} key=${at} at=${at} many=${statements.length > 1} result=${result} more=${() => more(at)} />`)}
    ${!text && !results.length && html`<${Examples} pick=${put} />`}
    ${ask && html`<${Confirm} title="This reads whole tables" action="Run anyway" danger=${false} onClose=${() => setAsk(null)} onDone=${() => execute(true)}
      lost=${html`<p>No partition key is compared with = or IN, so each of these reads its table or index from the beginning, 1 MB a page:</p>
        <ul>${ask.scans.map(({ statement }) => html`<li><code>${statement.text}</code> ${scanCost(tables[tableOf(statement.text)]?.table)}</li>`)}</ul>`} />`}`;
}

const scanCost = (table) => table && html`<span class="muted"> · ${plural(table.ItemCount, "item")}, about ${count(estimate(table, emptyQuery(), isPartitioned()).whole)} read units for all</span>`;

/** Run one statement, or its next page; the answer, or the error. */
async function performed(statement, parameters, consistent, plan, before) {
  const began = performance.now();
  let request;
  try {
    request = { ...requestOf(statement, parameters), ReturnConsumedCapacity: "TOTAL" };
    if (consistent && isRead(statement.text)) request.ConsistentRead = true;
    if (before?.next) request.NextToken = before.next;
    const answer = await call("ExecuteStatement", request);
    return {
      statement, plan, request, items: [...(before?.items ?? []), ...answer.Items], next: answer.NextToken,
      units: (before?.units ?? 0) + (answer.ConsumedCapacity?.CapacityUnits ?? 0), ms: performance.now() - began,
    };
  } catch (error) {
    return { ...before, statement, plan, request, error: error instanceof QueryFault ? new Error(error.message) : error };
  }
}

function Plan({ plan, error, at, many, text, tables }) {
  const number = many && html`<span class="muted">${at + 1}</span> `;
  if (error) return html`<li class="plan wrong">${number}<${Badge} kind="warn">${isRead(text) ? "refused" : "cannot be written"}<//> ${error.message}</li>`;
  const kind = plan.access === "scan" ? "warn" : "ok";
  const unit = plan.access === "write" ? "write units for each KB of the item" : "0.5 read units for each 4 KB";
  return html`<li class="plan">${number}<${Badge} kind=${kind}>${TITLES[plan.access]}<//>
    ${plan.index && html` on the index <code>${plan.index}</code>:`} ${WHY[plan.access](plan)}${plan.filtered && plan.access !== "key" ? ". Other conditions filter what was read, and save no units" : ""}
    <span class="muted"> · ${unit}</span> ${plan.access === "scan" && scanCost(tables[tableOf(text)]?.table)}</li>`;
}

function Result({ result, at, many, more }) {
  const [view, look] = useState("grid");
  const { items = [], units, ms, next, error, statement } = result;
  const columns = useMemo(() => columnsOf(items, []), [items]);
  const json = () => `[${items.map((item) => `\n${dynamoText(item)}`).join(",")}\n]`;
  return html`<section class="result" aria-label=${`Result${many ? ` of statement ${at + 1}` : ""}`}>
    <div class="toolbar">${many && html`<code class="cut">${statement.text}</code>`}
      ${!error && html`<${Tabs} label="View" tabs=${[["grid", "Grid"], ["json", "JSON"], ["code", "As code"]]} value=${view} onValue=${look} />
      <span class="figures" role="status"><strong>${isRead(statement.text) || items.length ? plural(items.length, "item") : "Done"}</strong> · <strong>${count(units)}</strong> ${isRead(statement.text) ? "read" : "write"} units · ${Math.round(ms)} ms</span>
      <div class="spacer"></div>${items.length > 0 && html`<${Copy} text=${json} label="Copy JSON" />`}`}
    </div>
    <${ErrorBox} error=${error} />
    ${view === "grid" && items.length > 0 && html`<${Grid} label=${`Items${many ? ` of statement ${at + 1}` : ""}`} items=${items} columns=${columns} keys=${[]} onOpen=${() => look("json")} />`}
    ${view === "json" && html`<pre tabindex="0" aria-label="JSON"><code>${json()}</code></pre>`}
    ${view === "code" && html`<${AsCode} operation="ExecuteStatement" request=${withoutToken(result.request)} />`}
    ${next && html`<p class="row"><${Button} onClick=${more}>Read the next page<//> <span class="muted">There is more.</span></p>`}
  </section>`;
}

const withoutToken = ({ NextToken: _, ...request }) => request;

const ARTIST = { artist: { S: "Nina Simone" }, title: { S: "Sinnerman" } };
const MUSIC = { name: "Music", key: ARTIST, partition: ["artist"] };

/** What examples are about: an item of the first table, or a table that could be. */
async function subject() {
  const [name] = (await call("ListTables", { Limit: 1 })).TableNames;
  if (!name) return MUSIC;
  const keys = (await describe(name)).KeySchema;
  const [item] = (await call("Scan", { TableName: name, Limit: 1 })).Items;
  const key = item && Object.fromEntries(keys.map(({ AttributeName: each }) => [each, item[each]]));
  return key && partiqlValue({ M: key }) !== null ? { name, key, partition: keys.filter((each) => each.KeyType === "HASH").map((each) => each.AttributeName) } : MUSIC;
}

function examplesOf({ name, key, partition }) {
  const where = (names) => names.map((each) => `${partiqlName(each)} = ${partiqlValue(key[each])}`).join(" AND ");
  const [table, one] = [partiqlName(name), where(Object.keys(key))];
  return [
    ["One item", `SELECT * FROM ${table} WHERE ${one}`],
    ["Items of a partition", `SELECT * FROM ${table} WHERE ${where(partition)}`],
    ["Insert", `INSERT INTO ${table} VALUE ${partiqlValue({ M: { ...key, year: { N: "1965" } } })}`],
    ["Update", `UPDATE ${table} SET year = 1965 WHERE ${one} RETURNING ALL NEW *`],
    ["Delete", `DELETE FROM ${table} WHERE ${one}`],
  ];
}

function Examples({ pick }) {
  const { value, error } = useLoaded(subject, []);
  const found = value ?? (error && MUSIC);
  return html`<div class="empty"><h2>Write a statement, or begin with one of these</h2>${found && html`<ul class="examples">${examplesOf(found).map(([name, text]) => html`
    <li key=${name}><button type="button" onClick=${() => pick(text)}><strong>${name}</strong><code>${text}</code></button></li>`)}</ul>`}</div>`;
}
