// Managed policies, and an editor of policies that says what is wrong with them.
import { html, useEffect, useState } from "../vendor/ui.js";
import { ask, iam } from "../api.js";
import { parse, write } from "../json.js";
import { address, Badge, Button, Confirm, Copy, Dialog, Empty, ErrorBox, Link, Loading, Text, Time, toast, useLoaded, useValue } from "../parts.js";
import { Facts, Panel, Rows, setQuery } from "../lists.js";
import { TextEditor } from "../editor.js";

const WAIT_MS = 400;
const DRAFT = `{
  "Version": "2012-10-17",
  "Statement": [
    {
      "Effect": "Allow",
      "Action": ["dynamodb:GetItem", "dynamodb:Query"],
      "Resource": "arn:aws:dynamodb:*:*:table/NAME"
    }
  ]
}`;

/** All pages of a list of IAM. */
export async function listed(operation, request, member) {
  const found = [];
  let page = {};
  do {
    page = await iam(operation, page.Marker ? { ...request, Marker: page.Marker } : request);
    found.push(...(page[member] || []));
  } while (page.IsTruncated === "true");
  return found;
}

/** A policy of an answer of IAM, indented. */
export const policyText = (encoded) => pretty(decodeURIComponent(encoded));

function pretty(text) {
  try {
    return write(parse(text), 2);
  } catch {
    return text;
  }
}

/** What the server says of a policy, some time after it has changed. */
export function useReport(document, use) {
  const [state, change] = useState({});
  useEffect(() => {
    let current = true;
    const timer = setTimeout(() => ask("lint", { document, use }).then((report) => current && change({ report }), (error) => current && change({ error })), WAIT_MS);
    return () => { current = false; clearTimeout(timer); };
  }, [document, use]);
  return state;
}

export function Report({ report, error }) {
  if (error) return html`<${ErrorBox} error=${error} />`;
  if (!report) return html`<p class="muted" role="status">Checking …</p>`;
  if (report.malformed) return html`<p class="fault" role="status">Refused: ${report.malformed}</p>`;
  if (!report.findings.length) return html`<p role="status"><${Badge} kind="ok">Nothing found<//></p>`;
  return html`<ul class="lines" aria-label="Findings" aria-live="polite">${report.findings.map((each) => html`<li><${Badge} kind="warn">statement ${each.place}${each.sid ? ` (${each.sid})` : ""}<//> <span>${each.text}${each.actions.length ? html`: <code>${each.actions.join(", ")}</code>` : ""}</span></li>`)}</ul>`;
}

/** Edits a policy in a dialog; `policy` is its name, which is asked for if it is new. */
export function PolicyEditor({ title, policy = "", text = DRAFT, use, named, readOnly, onSave, onClose }) {
  const [name, rename] = useState(policy);
  const [draft, change] = useState(text);
  const [error, fail] = useState(null);
  const found = useReport(draft, use);
  const save = () => onSave(name, draft).catch(fail);
  const ready = (!named || name) && !found.report?.malformed;
  return html`<${Dialog} title=${title} wide onClose=${onClose} actions=${html`<${Copy} text=${draft} /><div class="spacer"></div><${Button} onClick=${onClose}>${readOnly ? "Close" : "Cancel"}<//>${!readOnly && html`<${Button} kind="primary" disabled=${!ready} onClick=${save}>Save<//>`}`}>
    ${named && !policy && html`<${Text} label="Name of the policy" value=${name} onValue=${rename} autofocus />`}
    <${TextEditor} label="Policy" language="json" value=${text} onValue=${change} rows=${18} onRun=${() => ready && !readOnly && save()} />
    <${Report} ...${found} /><${ErrorBox} error=${error} /><//>`;
}

export function Policies({ verified, readOnly }) {
  const { query } = useValue(address);
  const name = query.get("name");
  if (!verified) return html`<${Try} />`;
  return name ? html`<${Policy} key=${name} arn=${name} readOnly=${readOnly} />` : html`<${List} readOnly=${readOnly} /><${Try} />`;
}

/** A policy that is nowhere stored, and what is wrong with it. */
function Try() {
  const [draft, change] = useState(DRAFT);
  const found = useReport(draft, "inline");
  return html`<${Panel} title="Check a policy"><p class="muted">Paste a policy: unknown actions and condition keys, resources that match nothing, grants of everything, and keys of items that do not confine are found as you type.</p>
    <${TextEditor} label="Policy to check" language="json" value=${draft} onValue=${change} rows=${14} /><${Report} ...${found} /><//>`;
}

function List({ readOnly }) {
  const { value: found, error, again } = useLoaded(() => listed("ListPolicies", {}, "Policies"), []);
  const [fresh, create] = useState(false);
  const own = (each) => !each.Arn.includes("::aws:");
  const rows = (found ?? []).sort((a, b) => own(b) - own(a) || b.AttachmentCount - a.AttachmentCount);
  return html`<div class="toolbar"><div class="spacer"></div><${Button} onClick=${again} aria-label="Read again">↻<//>${!readOnly && html`<${Button} kind="primary" onClick=${() => create(true)}>Create policy<//>`}</div>
    <${ErrorBox} error=${error} again=${again} />${!found && !error && html`<${Loading} />`}
    ${found && html`<${Rows} label="Managed policies" head=${["Policy", "Kind", ["Attached to", "number"], "Changed"]}>${rows.map((each) => html`<tr key=${each.Arn}><th scope="row"><${Link} to=${`/access?${new URLSearchParams({ view: "policies", name: each.Arn })}`}>${each.PolicyName}<//></th>
      <td><${Badge} kind=${own(each) ? "on" : ""}>${own(each) ? "own" : "built in"}<//></td><td class="number">${each.AttachmentCount}</td><td>${own(each) ? html`<${Time} at=${new Date(each.UpdateDate)} />` : html`<span class="muted">–</span>`}</td></tr>`)}<//>`}
    ${fresh && html`<${PolicyEditor} title="Create a managed policy" use="managed" named onClose=${() => create(false)} onSave=${async (PolicyName, PolicyDocument) => { await iam("CreatePolicy", { PolicyName, PolicyDocument }); create(false); again(); toast(`${PolicyName} created`); }} />`}`;
}

async function loadPolicy(PolicyArn) {
  const { Policy } = await iam("GetPolicy", { PolicyArn });
  const [version, users, roles] = await Promise.all([
    iam("GetPolicyVersion", { PolicyArn, VersionId: Policy.DefaultVersionId }),
    listed("ListEntitiesForPolicy", { PolicyArn, EntityFilter: "User" }, "PolicyUsers"),
    listed("ListEntitiesForPolicy", { PolicyArn, EntityFilter: "Role" }, "PolicyRoles"),
  ]);
  return { policy: Policy, text: policyText(version.PolicyVersion.Document), users, roles };
}

function Policy({ arn, readOnly }) {
  const { value, error, again } = useLoaded(() => loadPolicy(arn), [arn]);
  const [dialog, open] = useState(null);
  const own = !arn.includes("::aws:") && !readOnly;
  const name = arn.split("/").pop();
  const crumbs = html`<div class="head"><p class="crumbs"><${Link} to="/access?view=policies">Policies<//> <span aria-hidden="true">/</span></p><h2 class="big">${name}</h2></div>`;
  if (!value) return html`${crumbs}<${ErrorBox} error=${error} again=${again} />${!error && html`<${Loading} />`}`;
  const { policy, text, users, roles } = value;
  const holders = [...users.map((each) => ["users", each.UserName]), ...roles.map((each) => ["roles", each.RoleName])];
  const save = async (_, PolicyDocument) => {
    const versions = await listed("ListPolicyVersions", { PolicyArn: arn }, "Versions");
    // IAM keeps five versions: the oldest makes room.
    if (versions.length >= 5) await iam("DeletePolicyVersion", { PolicyArn: arn, VersionId: versions.filter((each) => each.IsDefaultVersion !== "true").pop().VersionId });
    await iam("CreatePolicyVersion", { PolicyArn: arn, PolicyDocument, SetAsDefault: "true" });
    open(null);
    again();
    toast("Saved as a new version");
  };
  const remove = async () => {
    for (const each of await listed("ListPolicyVersions", { PolicyArn: arn }, "Versions")) if (each.IsDefaultVersion !== "true") await iam("DeletePolicyVersion", { PolicyArn: arn, VersionId: each.VersionId });
    await iam("DeletePolicy", { PolicyArn: arn });
    setQuery({ name: "" });
    toast(`${name} deleted`);
  };
  return html`${crumbs}<div class="cards">
    <${Panel} title="Policy"><${Facts} rows=${[["ARN", html`<code class="cut">${arn}</code> <${Copy} text=${arn} />`], ["Version", policy.DefaultVersionId], ["Changed", html`<${Time} at=${new Date(policy.UpdateDate)} />`],
      ["Attached to", holders.length ? holders.map(([view, each], at) => html`${at ? ", " : ""}<${Link} to=${`/access?${new URLSearchParams({ view, name: each })}`}>${each}<//>`) : "nobody"]]} /><//>
    <${Panel} title="Findings"><${Checked} text=${text} /><//>
    <${Panel} title="Document" wide actions=${html`<${Copy} text=${text} />${own && html`<${Button} kind="small" onClick=${() => open("edit")}>Change …<//>`}`}><pre tabindex="0" aria-label="The policy">${text}</pre><//>
    ${own && html`<${Panel} title="Whole policy" kind="danger-zone"><div class="row"><${Button} kind="danger" onClick=${() => open("delete")}>Delete the policy …<//></div><//>`}</div>
    ${dialog === "edit" && html`<${PolicyEditor} title=${name} text=${text} use="managed" onClose=${() => open(null)} onSave=${save} />`}
    ${dialog === "delete" && html`<${Confirm} title=${`Delete ${name}`} name=${name} action="Delete" onClose=${() => open(null)} onDone=${remove} lost=${html`<p>All versions of the policy are lost. It is attached to ${holders.length ? `${holders.map(([, each]) => each).join(", ")}; the server refuses until it is detached` : "nobody"}.</p>`} />`}`;
}

const Checked = ({ text }) => html`<${Report} ...${useReport(text, "managed")} />`;
