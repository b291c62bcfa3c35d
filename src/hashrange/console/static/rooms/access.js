// Users, roles and their keys and policies; who may do what, and why; the audit log.
import { html, useState } from "../vendor/ui.js";
import { call, iam, session } from "../api.js";
import { address, Badge, Button, Confirm, Copy, Dialog, Empty, ErrorBox, Link, Loading, Menu, Tabs, Text, Time, toast, useLoaded, useValue } from "../parts.js";
import { Facts, Panel, Rows, setQuery, sinceText } from "../lists.js";
import { Audit } from "./audit.js";
import { listed, Policies, PolicyEditor, policyText } from "./policies.js";
import { Check } from "./check.js";

const VIEWS = [["users", "Users"], ["roles", "Roles"], ["policies", "Policies"], ["check", "Who may what"], ["audit", "Audit log"]];
const OLD_DAYS = 90;
const KEYS_SHOWN = 100;

export default function Access() {
  const { query } = useValue(address);
  const facts = useValue(session);
  const view = query.get("view") || "users";
  const name = query.get("name");
  const kind = view === "roles" ? "Role" : "User";
  const open = (to) => setQuery({ view: to === "users" ? "" : to, name: "", principal: "", action: "", resource: "" });
  return html`
    <div class="head"><h1>Access</h1><${Tabs} label="Parts of access" tabs=${VIEWS} value=${view} onValue=${open} /></div>
    ${facts.auth !== "required" && view !== "audit" && html`<${Empty} title="Signatures are not verified here" command="hashrange serve --auth required">
      <p>Whoever reaches this server may do everything, so there are no users, roles and policies. With this setting there are; the first start prints the keys of an administrator.</p><//>`}
    ${view === "policies" && html`<${Policies} verified=${facts.auth === "required"} readOnly=${facts.console === "read-only"} />`}
    ${view === "audit" && html`<${Audit} />`}
    ${facts.auth === "required" && html`
      ${view === "check" && html`<${Check} />`}
      ${(view === "users" || view === "roles") && (name ? html`<${Holder} key=${kind + name} kind=${kind} name=${name} readOnly=${facts.console === "read-only"} />` : html`<${Holders} key=${kind} kind=${kind} readOnly=${facts.console === "read-only"} />`)}`}`;
}

/* Users and roles */

async function loadHolders(kind) {
  const found = await listed(`List${kind}s`, {}, `${kind}s`);
  const shown = kind === "User" ? found.slice(0, KEYS_SHOWN) : [];
  const keys = await Promise.all(shown.map(({ UserName }) => listed("ListAccessKeys", { UserName }, "AccessKeyMetadata").catch(() => undefined)));
  return found.map((each, at) => ({ ...each, name: each[`${kind}Name`], keys: keys[at] }));
}

function Holders({ kind, readOnly }) {
  const { query } = useValue(address);
  const { value: found, error, again } = useLoaded(() => loadHolders(kind), [kind]);
  const [fresh, create] = useState(false);
  const filter = query.get("filter") ?? "";
  const shown = (found ?? []).filter((each) => each.name.toLowerCase().includes(filter.toLowerCase()));
  const noun = kind.toLowerCase();
  return html`
    <div class="toolbar"><input type="search" aria-label=${`Filter ${noun}s`} placeholder="Filter" value=${filter} onInput=${(event) => setQuery({ filter: event.target.value }, { replace: true })} />
      <div class="spacer"></div><${Button} onClick=${again} aria-label="Read again">↻<//>${!readOnly && html`<${Button} kind="primary" onClick=${() => create(true)}>Create ${noun}<//>`}</div>
    <${ErrorBox} error=${error} again=${again} />${!found && !error && html`<${Loading} />`}
    ${found && !found.length && html`<${Empty} title=${`No ${noun}s yet`} command=${kind === "User" ? "hashrange users create app --policy AmazonDynamoDBReadOnlyAccess" : `aws iam create-role --role-name app --assume-role-policy-document file://trust.json --endpoint-url ${location.origin}`}><p>Create the first one here, or with this command.</p><//>`}
    ${shown.length > 0 && html`<${Rows} label=${`${kind}s`} head=${kind === "User" ? ["User", "Access keys", "Created"] : ["Role", "Description", "Created"]}>
      ${shown.map((each) => html`<tr key=${each.name}><th scope="row"><${Link} to=${`/access?${new URLSearchParams({ view: `${noun}s`, name: each.name })}`}>${each.name}<//></th>
        <td>${kind === "Role" ? each.Description || html`<span class="muted">–</span>` : (each.keys ?? []).length ? each.keys.map((key) => html`<${KeyBadge} access=${key} /> `) : html`<span class="muted">none</span>`}</td>
        <td><${Time} at=${new Date(each.CreateDate)} /></td></tr>`)}<//>`}
    ${fresh && html`<${Create} kind=${kind} onClose=${() => create(false)} />`}`;
}

/** The end of a key, with its age: a warning if it is old. */
function KeyBadge({ access }) {
  const old = (Date.now() - new Date(access.CreateDate)) / 86400000 > OLD_DAYS;
  return html`<${Badge} kind=${access.Status !== "Active" ? "" : old ? "warn" : "ok"} title=${`${access.AccessKeyId}: ${access.Status}${old ? `, older than ${OLD_DAYS} days` : ""}`}>…${access.AccessKeyId.slice(-4)} · ${access.Status === "Active" ? sinceText(access.CreateDate) : "inactive"}<//>`;
}

const TRUST = (account) => JSON.stringify({ Version: "2012-10-17", Statement: [{ Effect: "Allow", Principal: { AWS: `arn:aws:iam::${account}:root` }, Action: "sts:AssumeRole" }] }, null, 2);

function Create({ kind, onClose }) {
  const [name, change] = useState("");
  const [error, fail] = useState(null);
  const account = session.value.principal.account;
  const act = async () => {
    try {
      await iam(`Create${kind}`, { [`${kind}Name`]: name, ...(kind === "Role" ? { AssumeRolePolicyDocument: TRUST(account) } : {}) });
      onClose();
      setQuery({ name });
    } catch (refusal) {
      fail(refusal);
    }
  };
  return html`<${Dialog} title=${`Create a ${kind.toLowerCase()}`} onClose=${onClose} actions=${html`<${Button} onClick=${onClose}>Cancel<//><${Button} kind="primary" disabled=${!name} onClick=${act}>Create<//>`}>
    <${Text} label="Name" value=${name} onValue=${change} autofocus onKeyDown=${(event) => event.key === "Enter" && name && act()} hint=${kind === "Role" ? `Users of the account ${account} may assume it; its trust policy can be changed then` : "It may do nothing until it has a policy"} />
    <${ErrorBox} error=${error} /><//>`;
}

/* One user or role */

const quiet = (promise) => promise.catch((error) => ({ error }));

/** The newest event of a key in the audit log; undefined without such a log. */
const lastUse = (key) => call("cloudtrail:LookupEvents", { LookupAttributes: [{ AttributeKey: "AccessKeyId", AttributeValue: key }], MaxResults: 1 }).then((found) => found.Events[0] ?? null, () => undefined);

async function loadHolder(kind, name) {
  const of = { [`${kind}Name`]: name };
  const [head, attached, inline, keys] = await Promise.all([
    iam(`Get${kind}`, of),
    quiet(listed(`ListAttached${kind}Policies`, of, "AttachedPolicies")),
    quiet(listed(`List${kind}Policies`, of, "PolicyNames")),
    kind === "User" ? quiet(listed("ListAccessKeys", of, "AccessKeyMetadata")) : [],
  ]);
  const used = Object.fromEntries(await Promise.all((keys.error ? [] : keys).map(async ({ AccessKeyId }) => [AccessKeyId, await lastUse(AccessKeyId)])));
  return { head: head[kind], attached, inline, keys, used };
}

function Holder({ kind, name, readOnly }) {
  const { value, error, again } = useLoaded(() => loadHolder(kind, name), [kind, name]);
  const [dialog, open] = useState(null);
  const noun = kind.toLowerCase();
  const of = { [`${kind}Name`]: name };
  const done = (text) => {
    open(null);
    again();
    toast(text);
  };
  const crumbs = html`<div class="head"><p class="crumbs"><${Link} to=${`/access${kind === "Role" ? "?view=roles" : ""}`}>${kind}s<//> <span aria-hidden="true">/</span></p><h2 class="big">${name}</h2></div>`;
  if (!value) return html`${crumbs}<${ErrorBox} error=${error} again=${again} />${!error && html`<${Loading} />`}`;
  const { head, attached, inline, keys, used } = value;
  const edit = async (policy) => open({ editor: { title: `${name}: ${policy}`, policy, text: policyText((await iam(`Get${kind}Policy`, { ...of, PolicyName: policy })).PolicyDocument) } });
  const remove = async () => {
    for (const each of keys.error ? [] : keys) await iam("DeleteAccessKey", { ...of, AccessKeyId: each.AccessKeyId });
    for (const each of inline.error ? [] : inline) await iam(`Delete${kind}Policy`, { ...of, PolicyName: each });
    for (const each of attached.error ? [] : attached) await iam(`Detach${kind}Policy`, { ...of, PolicyArn: each.PolicyArn });
    await iam(`Delete${kind}`, of);
    setQuery({ name: "" });
    toast(`${name} deleted`);
  };
  return html`${crumbs}
    <div class="cards">
      <${Panel} title=${kind}><${Facts} rows=${[
        ["ARN", html`<code class="cut">${head.Arn}</code> <${Copy} text=${head.Arn} />`], ["Created", html`<${Time} at=${new Date(head.CreateDate)} />`],
        ["Boundary", head.PermissionsBoundary?.PermissionsBoundaryArn || "none"], ["Tags", Array.isArray(head.Tags) ? head.Tags.map((each) => `${each.Key}=${each.Value}`).join(", ") : "none"]]} />
        <div class="row"><${Link} class="button small" to=${`/access?${new URLSearchParams({ view: "check", principal: head.Arn })}`}>What may it do?<//>
        ${kind === "User" && html`<${Link} class="button small" to=${`/access?${new URLSearchParams({ view: "audit", key: "Username", value: name })}`}>What has it done?<//>`}</div><//>
      ${kind === "User" && html`<${Panel} title="Access keys" actions=${!readOnly && html`<${Button} kind="small" onClick=${async () => open({ secret: (await iam("CreateAccessKey", of)).AccessKey })}>Create a key<//>`}>
        <${Keys} keys=${keys} used=${used} of=${of} readOnly=${readOnly} open=${open} done=${done} /><//>`}
      <${Panel} title="Policies" wide actions=${!readOnly && html`<${Button} kind="small" onClick=${() => open("attach")}>Attach …<//><${Button} kind="small" onClick=${() => open({ editor: { title: `A policy of ${name}` } })}>Write a policy …<//>`}>
        <${ErrorBox} error=${attached.error ?? inline.error} />
        ${!attached.error && !inline.error && (attached.length + inline.length ? html`<ul class="lines">
          ${inline.map((each) => html`<li key=${each}><button type="button" class="link" onClick=${() => edit(each)}>${each}</button><${Badge}>of this ${noun} alone<//><div class="spacer"></div>${!readOnly && html`<${Button} kind="quiet small" aria-label=${`Delete the policy ${each}`} onClick=${() => open({ drop: each })}>Delete …<//>`}</li>`)}
          ${attached.map((each) => html`<li key=${each.PolicyArn}><${Link} to=${`/access?${new URLSearchParams({ view: "policies", name: each.PolicyArn })}`}>${each.PolicyName}<//><${Badge} kind="on">managed<//><div class="spacer"></div>
            ${!readOnly && html`<${Button} kind="quiet small" aria-label=${`Detach ${each.PolicyName}`} onClick=${async () => { await iam(`Detach${kind}Policy`, { ...of, PolicyArn: each.PolicyArn }); again(); toast(`${each.PolicyName} detached`, { action: { text: "Undo", run: async () => { await iam(`Attach${kind}Policy`, { ...of, PolicyArn: each.PolicyArn }); again(); } } }); }}>Detach<//>`}</li>`)}</ul>`
          : html`<p class="muted">None: it may do nothing, unless the policy of a table allows it.</p>`)}<//>
      ${kind === "Role" && html`<${Panel} title="Who may assume it" wide actions=${!readOnly && html`<${Button} kind="small" onClick=${() => open({ editor: { title: `Who may assume ${name}`, trust: true, text: policyText(head.AssumeRolePolicyDocument) } })}>Change …<//>`}><pre tabindex="0" aria-label="Trust policy">${policyText(head.AssumeRolePolicyDocument)}</pre><//>`}
      ${!readOnly && html`<${Panel} title=${`Whole ${noun}`} kind="danger-zone"><div class="row"><${Button} kind="danger" onClick=${() => open("delete")}>Delete the ${noun} …<//></div><//>`}
    </div>
    ${dialog?.secret && html`<${Secret} access=${dialog.secret} onClose=${() => { open(null); again(); }} />`}
    ${dialog === "attach" && html`<${Attach} has=${attached.error ? [] : attached} onClose=${() => open(null)} onAttach=${async (PolicyArn) => { await iam(`Attach${kind}Policy`, { ...of, PolicyArn }); done("Attached"); }} />`}
    ${dialog?.editor && html`<${PolicyEditor} ...${dialog.editor} use=${dialog.editor.trust ? "trust" : "inline"} named=${!dialog.editor.trust} readOnly=${readOnly} onClose=${() => open(null)}
      onSave=${async (PolicyName, PolicyDocument) => { await iam(dialog.editor.trust ? "UpdateAssumeRolePolicy" : `Put${kind}Policy`, dialog.editor.trust ? { ...of, PolicyDocument } : { ...of, PolicyName, PolicyDocument }); done("Saved"); }} />`}
    ${dialog?.drop && html`<${Confirm} title=${`Delete the policy ${dialog.drop}`} name=${dialog.drop} action="Delete" onClose=${() => open(null)} lost=${html`<p>${name} may no longer do what only this policy allows. Its text is lost.</p>`}
      onDone=${async () => { await iam(`Delete${kind}Policy`, { ...of, PolicyName: dialog.drop }); done("Policy deleted"); }} />`}
    ${dialog?.key && html`<${Confirm} title="Delete an access key" name=${dialog.key} action="Delete the key" onClose=${() => open(null)} lost=${html`<p>Programs that sign with this key are refused at once, and its sessions end. It cannot be made again; an inactive key can.</p>`}
      onDone=${async () => { await iam("DeleteAccessKey", { ...of, AccessKeyId: dialog.key }); done("Key deleted"); }} />`}
    ${dialog === "delete" && html`<${Confirm} title=${`Delete ${name}`} name=${name} action="Delete" onClose=${() => open(null)} onDone=${remove}
      lost=${html`<p>This cannot be undone. What will be lost with the ${noun}:</p><ul>${kind === "User" && html`<li>${keys.error ? "its keys" : `${keys.length} access keys, whose programs are refused at once`}</li>`}<li>${inline.error ? "its own policies" : `${inline.length} policies of its own`}; attached ones stay</li></ul>`} />`}`;
}

function Keys({ keys, used, of, readOnly, open, done }) {
  if (keys.error) return html`<${ErrorBox} error=${keys.error} />`;
  if (!keys.length) return html`<p class="muted">None: nobody can sign as this user.</p>`;
  const turn = async (key, Status) => {
    await iam("UpdateAccessKey", { ...of, AccessKeyId: key.AccessKeyId, Status });
    done(`…${key.AccessKeyId.slice(-4)} is ${Status.toLowerCase()}`);
  };
  return html`<ul class="lines">${keys.map((key) => html`<li key=${key.AccessKeyId}><code>${key.AccessKeyId}</code> <${KeyBadge} access=${key} />
    <small class="muted">${used[key.AccessKeyId] ? html`last in the audit log <${Time} at=${used[key.AccessKeyId].EventTime} /> (${used[key.AccessKeyId].EventName})` : used[key.AccessKeyId] === null ? "not in the audit log of 90 days" : "last use: needs --audit"}</small>
    <div class="spacer"></div>${!readOnly && html`<${Menu} kind="quiet small" label=${html`<span aria-label=${`Actions of ${key.AccessKeyId}`}>⋯</span>`} items=${[
      key.Status === "Active" ? { text: "Deactivate", run: () => turn(key, "Inactive") } : { text: "Activate", run: () => turn(key, "Active") },
      { text: "Delete …", danger: true, run: () => open({ key: key.AccessKeyId }) }]} />`}</li>`)}</ul>`;
}

function Secret({ access, onClose }) {
  const text = `export AWS_ACCESS_KEY_ID=${access.AccessKeyId}\nexport AWS_SECRET_ACCESS_KEY=${access.SecretAccessKey}`;
  return html`<${Dialog} title="A new access key" onClose=${onClose} actions=${html`<${Copy} text=${text} /><${Button} kind="primary" onClick=${onClose}>I have kept it<//>`}>
    <p>The secret key is shown now and never again.</p><pre tabindex="0" aria-label="The new keys">${text}</pre><//>`;
}

function Attach({ has, onClose, onAttach }) {
  const { value: found, error } = useLoaded(() => listed("ListPolicies", {}, "Policies"), []);
  const [filter, change] = useState("");
  const [refusal, fail] = useState(null);
  const free = (found ?? []).filter((each) => !has.some((one) => one.PolicyArn === each.Arn) && each.PolicyName.toLowerCase().includes(filter.toLowerCase()));
  return html`<${Dialog} title="Attach a managed policy" onClose=${onClose}>
    <input type="search" aria-label="Filter policies" placeholder="Filter" value=${filter} onInput=${(event) => change(event.target.value)} autofocus />
    <${ErrorBox} error=${error ?? refusal} /><ul class="lines">${free.map((each) => html`<li key=${each.Arn}><span>${each.PolicyName}</span> ${each.Arn.includes("::aws:") && html`<${Badge}>built in<//>`}<div class="spacer"></div><${Button} kind="small" aria-label=${`Attach ${each.PolicyName}`} onClick=${() => onAttach(each.Arn).catch(fail)}>Attach<//></li>`)}</ul>
    ${found && !free.length && html`<p class="muted">No other policy has that name.</p>`}<//>`;
}
