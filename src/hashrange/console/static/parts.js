// Parts of pages: links, dialogs, errors, toasts, fields, times. Nothing here knows a table.
import { effect, html, signal, useEffect, useId, useRef, useState } from "./vendor/ui.js";
import { visible } from "./json.js";

export const BASE = "/_console";

/** The value of a signal; the component is drawn again when it changes. */
export function useValue(source) {
  const [value, change] = useState(() => source.peek());
  useEffect(() => effect(() => change(() => source.value)), [source]);
  return value;
}

/** The address: path without the base, and query. */
export const address = signal(readAddress());

/** The text of a part of an address; one that nobody has encoded is shown as it is. */
export function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function readAddress() {
  const path = decoded(location.pathname.slice(BASE.length)).replace(/\/+$/, "") || "/";
  return { path, rawPath: location.pathname.slice(BASE.length), query: new URLSearchParams(location.search) };
}

window.addEventListener("popstate", () => { address.value = readAddress(); });

/** Go to an address of the console: `/tables/NAME?…`. */
export function go(to, { replace = false } = {}) {
  if (BASE + to !== location.pathname + location.search) history[replace ? "replaceState" : "pushState"](null, "", BASE + to);
  address.value = readAddress();
}

export const tablePath = (name, tab = "") => `/tables/${encodeURIComponent(name)}${tab && `/${tab}`}`;

export function Link({ to, children, ...rest }) {
  const follow = (event) => {
    if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    go(to);
  };
  return html`<a href=${BASE + to} onClick=${follow} ...${rest}>${children}</a>`;
}

/* Texts of numbers and times */

const grouped = new Intl.NumberFormat("en");
export const count = (value) => (value === undefined ? "–" : grouped.format(value));
export const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

export function bytes(value) {
  if (value === undefined) return "–";
  const units = ["B", "KB", "MB", "GB", "TB"];
  let left = value;
  let unit = 0;
  while (left >= 1024 && unit < units.length - 1) {
    left /= 1024;
    unit += 1;
  }
  return `${unit && left < 10 ? left.toFixed(1) : Math.round(left)} ${units[unit]}`;
}

/** A time in this browser's zone, with UTC on hover. `at`: a Date, or seconds since the epoch. */
export function Time({ at }) {
  if (at === undefined || at === null) return "–";
  const date = at instanceof Date ? at : new Date(at * 1000);
  return html`<time datetime=${date.toISOString()} title=${`${date.toISOString()} (UTC)`}>${date.toLocaleString()}</time>`;
}

/* Buttons, fields */

/** A button; while the promise of its `onClick` is not settled, it does nothing more. */
export function Button({ kind = "", children, onClick, ...rest }) {
  const [busy, work] = useState(false);
  const press = async (event) => {
    if (busy) return;
    const doing = onClick?.(event);
    if (!doing?.then) return;
    work(true);
    try {
      await doing;
    } finally {
      work(false);
    }
  };
  return html`<button type="button" class=${`button ${kind}`} aria-busy=${busy || undefined} onClick=${press} ...${rest}>${children}</button>`;
}

/** A labelled control: `children` gets its id. */
export function Field({ label, hint, fault, children, wide }) {
  const id = useId();
  return html`<div class=${`field ${wide ? "wide" : ""}`}>
    <label for=${id}>${label}</label>
    ${children(id, fault ? `${id}-f` : hint ? `${id}-h` : undefined)}
    ${hint && !fault && html`<small id=${`${id}-h`}>${hint}</small>`}
    ${fault && html`<small class="fault" id=${`${id}-f`}>${fault}</small>`}
  </div>`;
}

export function Text({ label, hint, fault, value, onValue, wide, ...rest }) {
  return html`<${Field} label=${label} hint=${hint} fault=${fault} wide=${wide}>${(id, described) =>
    html`<input id=${id} aria-describedby=${described} aria-invalid=${fault ? "true" : undefined} value=${value} onInput=${(event) => onValue(event.target.value)} autocomplete="off" spellcheck=${false} ...${rest} />`}<//>`;
}

/** Options are texts or pairs of value and text. */
export function Select({ label, hint, options, value, onValue, wide, ...rest }) {
  return html`<${Field} label=${label} hint=${hint} wide=${wide}>${(id, described) =>
    html`<${Choice} id=${id} aria-describedby=${described} options=${options} value=${value} onValue=${onValue} ...${rest} />`}<//>`;
}

export function Choice({ options, value, onValue, ...rest }) {
  const pairs = options.map((each) => (Array.isArray(each) ? each : [each, each]));
  return html`<select value=${value} onChange=${(event) => onValue(event.target.value)} ...${rest}>
    ${pairs.map(([each, text]) => html`<option value=${each} selected=${each === value}>${text}</option>`)}
  </select>`;
}

export function Check({ label, value, onValue, hint, ...rest }) {
  const id = useId();
  return html`<div class="check">
    <input type="checkbox" id=${id} checked=${value} onChange=${(event) => onValue(event.target.checked)} ...${rest} />
    <label for=${id}>${label}</label>${hint && html`<small>${hint}</small>`}
  </div>`;
}

export function Copy({ text, label = "Copy" }) {
  const [done, change] = useState(false);
  const copy = async () => {
    await copyText(typeof text === "function" ? text() : text);
    change(true);
    setTimeout(() => change(false), 1500);
  };
  return html`<${Button} kind="quiet small" onClick=${copy}>${done ? "Copied" : label}<//>`;
}

/** Copy a text; without the permission of the clipboard by a selection. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

/** Offer a text as a file. */
export function download(name, text, type = "text/plain") {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/* Errors, empty states, progress */

export function ErrorBox({ error, again }) {
  if (!error) return null;
  const type = error.type ?? error.name;
  return html`<div class="error" role="alert">
    <p><strong>${type}</strong> ${visible(error.message)}</p>
    ${error.request && html`<details><summary>The request: ${error.operation}</summary><pre>${visible(JSON.stringify(error.request, null, 2)).replaceAll("␊", "\n")}</pre></details>`}
    <div class="row">
      <${Copy} text=${error.report ?? `${type}: ${error.message}`} />
      ${again && html`<${Button} kind="quiet small" onClick=${again}>Try again<//>`}
    </div>
  </div>`;
}

/** What to do where there is nothing yet, with a command to copy. */
export function Empty({ title, children, command }) {
  return html`<div class="empty">
    <h2>${title}</h2>
    <div>${children}</div>
    ${command && html`<div class="command"><code>${command}</code><${Copy} text=${command} /></div>`}
  </div>`;
}

/** Shown only if it takes longer than 300 ms. */
export function Loading({ text = "Loading …" }) {
  const [late, change] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => change(true), 300);
    return () => clearTimeout(timer);
  }, []);
  return late ? html`<p class="loading" role="status">${text}</p>` : null;
}

/** The answer of an asynchronous function: `{ value, error, loading, again }`. */
export function useLoaded(load, on) {
  const [state, change] = useState({ loading: true });
  const [turn, again] = useState(0);
  useEffect(() => {
    let current = true;
    change((before) => ({ ...before, loading: true }));
    load().then(
      (value) => current && change({ value, loading: false }),
      (error) => current && change({ error, loading: false }),
    );
    return () => { current = false; };
  }, [...on, turn]);
  return { ...state, again: () => again((before) => before + 1) };
}

/* Dialogs */

/** A modal dialog: Escape and the button close it; the focus goes back to where it was. */
export function Dialog({ title, children, onClose, wide, actions }) {
  const shown = useRef();
  const id = useId();
  useEffect(() => {
    shown.current.showModal();
    return () => shown.current?.close();
  }, []);
  return html`<dialog ref=${shown} class=${wide ? "wide" : ""} aria-labelledby=${id} onCancel=${(event) => { event.preventDefault(); onClose(); }} onKeyDown=${(event) => event.stopPropagation()}>
    <header><h2 id=${id}>${title}</h2><${Button} kind="quiet small" aria-label="Close" onClick=${onClose}>✕<//></header>
    <div class="body">${children}</div>
    ${actions && html`<footer>${actions}</footer>`}
  </dialog>`;
}

/** Asks before something is lost; `name` must be typed if it is given. */
export function Confirm({ title, lost, name, action, danger = true, onDone, onClose }) {
  const [typed, change] = useState("");
  const [state, set] = useState({});
  const ready = !name || typed === name;
  const act = async () => {
    if (!ready || state.at) return;
    set({ at: "Working …" });
    try {
      await onDone((text) => set({ at: text }));
    } catch (error) {
      set({ error });
    }
  };
  const actions = html`
    <${Button} onClick=${onClose}>Cancel<//>
    <${Button} kind=${danger ? "danger" : "primary"} disabled=${!ready || Boolean(state.at)} onClick=${act}>${action}<//>`;
  return html`<${Dialog} title=${title} onClose=${onClose} actions=${actions}>
    <div class="lost">${lost}</div>
    ${name && html`<${Text} label=${`Type ${name} to confirm`} value=${typed} onValue=${change} autofocus onKeyDown=${(event) => event.key === "Enter" && act()} />`}
    ${state.at && html`<p class="loading" role="status">${state.at}</p>`}
    <${ErrorBox} error=${state.error} />
  <//>`;
}

/* Toasts */

export const toasts = signal([]);
let toastId = 0;

/** A short message; `action`: `{ text, run }`. */
export function toast(text, { action, kind = "", seconds = action ? 20 : 5 } = {}) {
  const id = (toastId += 1);
  toasts.value = [...toasts.value.slice(-3), { id, text, action, kind }];
  setTimeout(() => dropToast(id), seconds * 1000);
}

const dropToast = (id) => { toasts.value = toasts.value.filter((each) => each.id !== id); };

export function Toasts() {
  const shown = useValue(toasts);
  return html`<div class="toasts" role="status" aria-live="polite">${shown.map(({ id, text, action, kind }) => html`
    <div class=${`toast ${kind}`} key=${id}>
      <span>${text}</span>
      ${action && html`<${Button} kind="quiet small" onClick=${() => { dropToast(id); action.run(); }}>${action.text}<//>`}
      <${Button} kind="quiet small" aria-label="Dismiss" onClick=${() => dropToast(id)}>✕<//>
    </div>`)}</div>`;
}

/* Tabs and menus */

export function Tabs({ label, tabs, value, onValue }) {
  const bar = useRef();
  useEffect(() => {
    const tab = bar.current.querySelector("[aria-selected=true]");
    if (tab && tab.offsetLeft + tab.offsetWidth > bar.current.clientWidth) bar.current.scrollLeft = tab.offsetLeft;
  }, [value]);
  const move = (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    const at = tabs.findIndex(([each]) => each === value);
    const next = tabs[(at + step + tabs.length) % tabs.length][0];
    onValue(next);
    event.currentTarget.querySelectorAll("button")[(at + step + tabs.length) % tabs.length].focus();
  };
  return html`<div class="tabs" role="tablist" ref=${bar} aria-label=${label} onKeyDown=${move}>${tabs.map(([each, text]) => html`
    <button type="button" role="tab" aria-selected=${each === value} tabindex=${each === value ? 0 : -1} onClick=${() => onValue(each)}>${text}</button>`)}</div>`;
}

/** A button that opens a list of actions: `{ text, run, danger, disabled }`. */
export function Menu({ label, items, kind = "" }) {
  const place = useRef();
  const run = (item) => {
    place.current.open = false;
    item.run();
  };
  useEffect(() => {
    const close = (event) => {
      if (place.current && !place.current.contains(event.target)) place.current.open = false;
    };
    document.addEventListener("pointerdown", close);
    return () => document.removeEventListener("pointerdown", close);
  }, []);
  const escape = (event) => {
    if (event.key !== "Escape" || !place.current.open) return;
    event.stopPropagation();
    place.current.open = false;
    place.current.querySelector("summary").focus();
  };
  return html`<details class="menu" ref=${place} onKeyDown=${escape}>
    <summary class=${`button ${kind}`}>${label}</summary>
    <div class="items">${items.filter(Boolean).map((item) => html`
      <button type="button" class=${item.danger ? "danger" : ""} disabled=${item.disabled} onClick=${() => run(item)}>${item.text}</button>`)}</div>
  </details>`;
}

export const Badge = ({ kind = "", children, title }) => html`<span class=${`badge ${kind}`} title=${title}>${children}</span>`;
