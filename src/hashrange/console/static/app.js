// The frame of all pages: address → page, navigation, sign-in, command palette, keys, theme.
import { html, render, signal, useEffect, useErrorBoundary, useRef, useState } from "./vendor/ui.js";
import { all, ApiError, busy, ended, keep, loadSession, namespaces, read, scope, session, signIn, signOut } from "./api.js";
import { address, Button, Choice, decoded, Dialog, ErrorBox, go, Link, Loading, Menu, tablePath, Text, Toasts, useLoaded, useValue } from "./parts.js";
import { PAGES, TABLE_PAGES } from "./pages.js";

const THEMES = ["system", "light", "dark"];
const SIGNED_OUT = 401;
/** A refusal that no part of a page shows. */
const refusal = signal(null);

addEventListener("unhandledrejection", (event) => {
  if (!(event.reason instanceof ApiError)) return;
  event.preventDefault();
  if (event.reason.status !== SIGNED_OUT) refusal.value = event.reason;
});

function pageOf(path) {
  const [, first = "", second, third = ""] = path.rawPath.split("/");
  if (first === "tables" && second) {
    const row = TABLE_PAGES.find((each) => each.path === third);
    return row && { row, props: { table: decoded(second) }, of: "tables", at: `table/${third}` };
  }
  const row = PAGES.find((each) => each.path === (first || "tables"));
  return row && !second && { row, props: {}, of: row.path, at: row.path };
}

function Page({ at }) {
  const found = pageOf(at);
  const [view, change] = useState(null);
  const [error, forget] = useErrorBoundary();
  useEffect(() => {
    let current = true;
    forget();
    found?.row.load().then(
      (module) => current && change({ component: module.default, at: found.at }),
      () => current && change({ failed: true }),
    );
    return () => { current = false; };
  }, [found?.at]);
  useEffect(() => {
    document.title = [found?.props.table, found?.row.title, "hashrange"].filter(Boolean).join(" · ");
  }, [found?.at, found?.props.table]);
  if (!found) return html`<div class="empty"><h1>No such page</h1><p><${Link} to="/tables">The tables<//></p></div>`;
  if (error) return html`<${ErrorBox} error=${error} again=${forget} />`;
  if (view?.failed) return html`<div class="empty"><h1>This page could not be loaded</h1><p>The server was perhaps upgraded.</p><${Button} kind="primary" onClick=${() => location.reload()}>Reload<//></div>`;
  return view?.at === found.at ? html`<${view.component} key=${found.at + (found.props.table ?? "")} ...${found.props} />` : html`<${Loading} />`;
}

function Frame() {
  const at = useValue(address);
  const facts = useValue(session);
  const chosen = useValue(scope);
  const [dialog, open] = useState(null);
  const waiting = useValue(busy);
  const hasEnded = useValue(ended);
  const refused = useValue(refusal);
  useKeys(open);
  useTheme();
  if (!facts) return html`<${Loading} text="Connecting …" />`;
  if (facts.auth === "required" && !facts.principal) return html`<${SignIn} />`;
  const current = pageOf(at)?.of;
  return html`
    <a class="skip" href="#main" onClick=${(event) => { event.preventDefault(); document.getElementById("main").focus(); }}>Skip to the content</a>
    <header class="top">
      <${Link} to="/tables" class="brand"><span class="mark" aria-hidden="true"></span>hashrange<//>
      <nav aria-label="Pages"><ul>${PAGES.map((page) => html`
        <li><${Link} to=${`/${page.path}`} aria-current=${current === page.path ? "page" : undefined}>${page.title}<//></li>`)}</ul></nav>
      <div class="spacer"></div>
      ${facts.console === "read-only" && html`<span class="badge warn" title="This console only reads: --console read-only">read-only</span>`}
      <${Scope} facts=${facts} />
      <${Button} kind="quiet search" onClick=${() => open("palette")} aria-label="Go to …"><span>Go to …</span> <kbd>/</kbd><//>
      <${Options} facts=${facts} open=${open} />
    </header>
    <div class=${`bar ${waiting ? "on" : ""}`} aria-hidden="true"></div>
    <main id="main" tabindex="-1" class=${hasEnded ? "unseen" : ""} key=${`${chosen.endpoint}|${chosen.account}|${chosen.region}|${facts.principal?.arn}`}><${Page} at=${at} /></main>
    <${Toasts} />
    ${dialog === "palette" && html`<${Palette} onClose=${() => open(null)} open=${open} />`}
    ${dialog === "help" && html`<${Help} onClose=${() => open(null)} />`}
    ${refused && html`<${Dialog} title="Refused" onClose=${() => { refusal.value = null; }}><${ErrorBox} error=${refused} /><//>`}
    ${hasEnded && html`<${Dialog} title="Your session has ended" onClose=${() => signOut()} actions=${html`<${Button} onClick=${() => signOut()}>Sign out<//>`}>
      <p>Sign in again: the page is as you left it.</p><${SignInForm} /><//>`}`;
}

/* Endpoint, account and region */

function Scope({ facts }) {
  const chosen = useValue(scope);
  const separate = facts.namespaces === "separate" && !chosen.endpoint;
  const { value: found = [] } = useLoaded(async () => (separate ? namespaces() : []), [separate, facts.principal?.arn]);
  const change = (part) => { scope.value = { ...scope.value, ...part }; };
  const account = chosen.account || facts.principal?.account || "000000000000";
  const region = chosen.region || "us-east-1";
  const now = `${account}/${region}`;
  const rows = found.map((each) => [`${each.account}/${each.region}`, `${each.account} · ${each.region} (${each.tables})`]);
  if (!rows.some(([value]) => value === now)) rows.unshift([now, `${account} · ${region} (0)`]);
  const others = rows.length > 1;
  return html`<div class="scope">
    ${facts.endpoints.length > 0 && html`<${Choice} aria-label="Endpoint" value=${chosen.endpoint} onValue=${(endpoint) => change({ endpoint })}
      options=${[["", "this server"], ...facts.endpoints.map((each) => [each, each])]} />`}
    ${separate && html`<${Choice} aria-label="Account and region" title=${others ? "Other accounts and regions have tables, too" : ""} class=${others ? "others" : ""} value=${now} options=${rows}
      onValue=${(value) => change({ account: facts.principal ? "" : value.split("/")[0], region: value.split("/")[1] })} />`}
  </div>`;
}

/* Sign-in */

function SignIn() {
  return html`<main class="sign-in" id="main">
    <h1><span class="mark" aria-hidden="true"></span>hashrange</h1>
    <p>Sign in with an access key of this server. You may do here what its policies allow.</p>
    <${SignInForm} />
  </main>`;
}

function SignInForm() {
  const [keys, change] = useState({ accessKey: "", secretKey: "", sessionToken: "" });
  const [state, set] = useState({});
  const field = (name) => ({ value: keys[name], onValue: (text) => change({ ...keys, [name]: text.trim() }) });
  const send = async (event) => {
    event.preventDefault();
    if (state.at) return;
    set({ at: true });
    try {
      await signIn({ ...keys, sessionToken: keys.sessionToken || null });
    } catch (error) {
      set({ error });
    }
  };
  return html`<form class="sign-in-form" onSubmit=${send}>
      <${Text} label="Access key" name="username" autocomplete="username" autofocus required ...${field("accessKey")} />
      <${Text} label="Secret key" name="password" type="password" autocomplete="current-password" required ...${field("secretKey")} />
      <details><summary>Temporary credentials</summary><${Text} label="Session token" ...${field("sessionToken")} /></details>
      ${state.error && html`<p class="fault" role="alert"><strong>${state.error.type}</strong> ${state.error.message}</p>`}
      <button type="submit" class="button primary" aria-busy=${Boolean(state.at)}>${state.at ? "Signing in …" : "Sign in"}</button>
    </form>`;
}

/* Theme, options */

function useTheme() {
  useEffect(() => applyTheme(read("theme", "system")), []);
}

function applyTheme(theme) {
  document.documentElement.dataset.theme = theme;
  keep("theme", theme);
}

function Options({ facts, open }) {
  const theme = document.documentElement.dataset.theme ?? "system";
  const who = facts.principal?.arn.split(":").pop();
  return html`<${Menu} kind="quiet" label=${html`<span class="who">${who ?? "Menu"}</span>`} items=${[
    ...THEMES.map((each) => ({ text: `${each === theme ? "● " : ""}Theme: ${each}`, run: () => { applyTheme(each); session.value = { ...session.value }; } })),
    { text: "Keyboard shortcuts  ?", run: () => open("help") },
    facts.principal && { text: "Sign out", run: () => signOut() },
  ]} />`;
}

/* Keys */

function useKeys(open) {
  const pending = useRef(0);
  useEffect(() => {
    const press = (event) => {
      if ((event.ctrlKey || event.metaKey) && event.key === "k") {
        event.preventDefault();
        open("palette");
      }
      const target = event.composedPath()[0];
      if (event.ctrlKey || event.metaKey || event.altKey || target.closest?.("input, textarea, select, dialog, [contenteditable=true]")) return;
      if (pending.current > event.timeStamp - 1500) {
        pending.current = 0;
        const page = PAGES.find((each) => each.key === event.key);
        if (page) return go(`/${page.path}`);
      }
      if (event.key === "g") pending.current = event.timeStamp;
      else if (event.key === "?") open("help");
      else if (event.key === "/") {
        event.preventDefault();
        const search = document.querySelector("input[type=search]");
        if (search) search.focus();
        else open("palette");
      }
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}

const SHORTCUTS = [
  ["/", "Search this page, or go to a table"],
  ["Ctrl K", "Command palette"],
  ...PAGES.map((page) => [`g ${page.key}`, page.title]),
  ["?", "This list"],
  ["Ctrl Enter", "Run the query or the statement"],
  ["↑ ↓ ← →", "Move in the grid"],
  ["Home End", "First and last column; with Ctrl first and last row"],
  ["Enter", "Edit the value, or open the item"],
  ["Space", "Select the item"],
  ["o", "Order the items by the column"],
  ["Delete", "Delete the selected items (staged)"],
  ["Ctrl C", "Copy the value"],
  ["Escape", "Cancel, close"],
];

function Help({ onClose }) {
  return html`<${Dialog} title="Keyboard shortcuts" onClose=${onClose}>
    <table class="plain"><thead><tr><th scope="col">Keys</th><th scope="col">What they do</th></tr></thead>
    <tbody>${SHORTCUTS.map(([keys, text]) => html`<tr><td>${keys.split(" ").map((each) => html`<kbd>${each}</kbd> `)}</td><td>${text}</td></tr>`)}</tbody></table>
  <//>`;
}

/* Command palette */

function Palette({ onClose, open }) {
  const [typed, change] = useState("");
  const [at, move] = useState(0);
  const { value: names = [] } = useLoaded(() => all("ListTables", {}, "TableNames", "LastEvaluatedTableName", "ExclusiveStartTableName"), []);
  const commands = [
    ...PAGES.map((page) => ({ text: page.title, kind: "page", run: () => go(`/${page.path}`) })),
    { text: "Create a table", kind: "action", run: () => go("/tables?create=1") },
    { text: "Keyboard shortcuts", kind: "action", run: () => open("help") },
    ...names.flatMap((name) => TABLE_PAGES.map((page) => ({ text: page.path ? `${name} · ${page.title}` : name, kind: "table", run: () => go(tablePath(name, page.path)) }))),
  ];
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found = commands.filter(({ text }) => wanted.every((word) => text.toLowerCase().includes(word))).slice(0, 12);
  const run = (command) => {
    if (!command) return;
    onClose();
    command.run();
  };
  const press = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      move((at + step + found.length) % Math.max(found.length, 1));
    }
    if (event.key === "Enter") run(found[at]);
  };
  return html`<${Dialog} title="Go to …" onClose=${onClose}>
    <input class="palette" role="combobox" aria-expanded="true" aria-controls="commands" aria-activedescendant=${found.length ? `command-${at}` : undefined} aria-label="A table, a page or an action" placeholder="A table, a page or an action" value=${typed}
      onInput=${(event) => { change(event.target.value); move(0); }} onKeyDown=${press} autofocus />
    <ul class="commands" id="commands" role="listbox" aria-label="Commands">${found.map((each, index) => html`
      <li role="option" id=${`command-${index}`} aria-selected=${index === at} onClick=${() => run(each)}><span>${each.text}</span><small>${each.kind}</small></li>`)}</ul>
    ${!found.length && html`<p>Nothing has that name.</p>`}
  <//>`;
}

async function begin() {
  if (address.value.path === "/") go("/tables", { replace: true });
  render(html`<${Frame} />`, document.getElementById("app"));
  try {
    await loadSession();
  } catch (error) {
    render(html`<${ErrorBox} error=${error instanceof ApiError ? error : new Error(String(error))} again=${() => location.reload()} />`, document.getElementById("app"));
  }
}

begin();
