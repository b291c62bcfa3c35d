// May X do Y on Z? The decision, and the statements that decide it.
import { html, useEffect, useState } from "../vendor/ui.js";
import { all, ask, call, iam } from "../api.js";
import { parse, write } from "../json.js";
import { address, Badge, Button, ErrorBox, Field, Loading, Text, useLoaded, useValue } from "../parts.js";
import { setQuery } from "../lists.js";
import { listed } from "./policies.js";

const quiet = (promise) => promise.catch(() => []);

async function loadNames() {
  const [users, roles, tables, { actions }] = await Promise.all([quiet(listed("ListUsers", {}, "Users")), quiet(listed("ListRoles", {}, "Roles")), quiet(all("ListTables", {}, "TableNames", "LastEvaluatedTableName", "ExclusiveStartTableName")), ask("actions")]);
  return { principals: [...users, ...roles].map((each) => each.Arn), tables, actions };
}

/** Condition keys, one a line: `key = value, value`. */
function contextOf(text) {
  const found = {};
  for (const line of text.split("\n").filter((each) => each.trim())) {
    const at = line.indexOf("=");
    if (at < 1) throw new Error(`${line}: a line is KEY = VALUE, VALUE`);
    found[line.slice(0, at).trim()] = line.slice(at + 1).split(",").map((each) => each.trim());
  }
  return found;
}

/** The ARN of a table by its name. */
async function arnOf(resource) {
  if (!resource || resource === "*" || resource.startsWith("arn:")) return resource || "*";
  return (await call("DescribeTable", { TableName: resource })).Table.TableArn;
}

export function Check() {
  const { query } = useValue(address);
  const { value: names = { principals: [], tables: [], actions: {} } } = useLoaded(loadNames, []);
  const [form, change] = useState({ principal: query.get("principal") ?? "", action: query.get("action") ?? "", resource: query.get("resource") ?? "", context: query.get("context") ?? "" });
  const [state, set] = useState({});
  const ready = form.principal && form.action;
  const run = async () => {
    if (!ready) return;
    setQuery(form, { replace: true });
    set({ loading: true });
    try {
      const asked = { principal: form.principal, action: form.action, resource: await arnOf(form.resource), context: contextOf(form.context) };
      set({ asked, answer: await ask("access", asked) });
    } catch (error) {
      set({ error });
    }
  };
  useEffect(() => { run(); }, []);
  const field = (name, label, options, hint, more = {}) => html`<${Text} label=${label} hint=${hint} value=${form[name]} list=${`list-${name}`} onValue=${(text) => change({ ...form, [name]: text })} onKeyDown=${(event) => event.key === "Enter" && run()} ...${more} />
    <datalist id=${`list-${name}`}>${options.map((each) => html`<option value=${each}></option>`)}</datalist>`;
  const keys = names.actions[form.action] ?? [];
  return html`<section class="builder" aria-label="A question"><div class="grid2 ask">
      <div>${field("principal", "User or role", names.principals, "Its ARN", { autofocus: !form.principal })}</div>
      <div>${field("action", "Action", Object.keys(names.actions), "As dynamodb:GetItem")}</div>
      <div>${field("resource", "Resource", names.tables, "The name of a table, an ARN, or * (empty)")}</div></div>
    <${Field} label="Condition keys of the request, one a line" hint=${keys.length ? `This action has ${keys.join(", ")}; as dynamodb:LeadingKeys = a, b` : "As aws:SourceIp = 10.0.0.1"}>${(id, described) => html`<textarea id=${id} aria-describedby=${described} rows="2" class="mono" value=${form.context} onInput=${(event) => change({ ...form, context: event.target.value })}></textarea>`}<//>
    <div class="row"><${Button} kind="primary" disabled=${!ready} onClick=${run}>May it?<//></div></section>
    <${ErrorBox} error=${state.error} />${state.loading && html`<${Loading} />`}
    ${state.answer && html`<${Answer} ...${state} />`}`;
}

const KINDS = { identity: "policies of the user or role", resource: "the policy of the table", boundary: "the permissions boundary", session: "the session's policies" };

function Answer({ asked, answer }) {
  const why = answer.allowed ? "A statement allows it, and none denies it." : answer.explicit ? `A statement of ${KINDS[answer.kind]} denies it.` : `Nothing in ${KINDS[answer.kind]} allows it.`;
  const near = answer.reasons.filter((each) => !each.statement.decides);
  return html`<section class="answer" aria-label="Answer" role="status"><p class="verdict"><${Badge} kind=${answer.allowed ? "ok" : "delete"}>${answer.allowed ? "Allowed" : "Denied"}<//> <strong>${asked.action}</strong> on <code>${asked.resource}</code></p><p>${why}</p></section>
    ${answer.reasons.filter((each) => each.statement.decides).map((each) => html`<${Reason} reason=${each} asked=${asked} />`)}
    ${near.length > 0 && html`<h2>${near.length === answer.reasons.length ? "Statements about it, which do not decide" : "Others about it"}</h2>${near.map((each) => html`<${Reason} reason=${each} asked=${asked} />`)}`}`;
}

/** The statement, if the user may read its policy. */
async function statementOf({ policy, statement }, principal) {
  const [, kind, name] = /:(user|role)\/(?:.*\/)?([^/]+)$/.exec(principal);
  const Kind = kind === "user" ? "User" : "Role";
  let text;
  if (statement.kind === "resource") text = (await call("GetResourcePolicy", { ResourceArn: policy.split("/index/")[0] })).Policy;
  else if (policy.startsWith("arn:")) {
    const { Policy } = await iam("GetPolicy", { PolicyArn: policy });
    text = decodeURIComponent((await iam("GetPolicyVersion", { PolicyArn: policy, VersionId: Policy.DefaultVersionId })).PolicyVersion.Document);
  } else text = decodeURIComponent((await iam(`Get${Kind}Policy`, { [`${Kind}Name`]: name, PolicyName: policy })).PolicyDocument);
  const found = parse(text).Statement;
  return write(Array.isArray(found) ? found[statement.place - 1] : found, 2);
}

function Reason({ reason, asked }) {
  const { policy, statement } = reason;
  const { value, error } = useLoaded(() => statementOf(reason, asked.principal), [policy, statement.place]);
  const lacks = statement.missing.length > 0 && `the request has no ${statement.missing.join(", ")}`;
  const note = statement.holds ? lacks && `Its conditions hold, as ${lacks}` : `Its conditions do not hold${lacks ? `: ${lacks}` : ""}`;
  return html`<section class="card" aria-label=${`Statement ${statement.place} of ${policy}`}><div class="row"><${Badge} kind=${statement.effect === "Deny" ? "delete" : "ok"}>${statement.effect}<//><strong>${statement.sid || `Statement ${statement.place}`}</strong><span class="muted">of ${KINDS[statement.kind].replace("policies of", "a policy of").replace("policies", "policy")}:</span><code class="wrap">${policy}</code></div>
    ${note && html`<p class="muted">${note}.</p>`}${value && html`<pre tabindex="0" aria-label="The statement">${value}</pre>`}${error && html`<p class="muted">Its text: ${error.type}</p>`}</section>`;
}
