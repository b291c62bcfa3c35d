// Lists of facts: tables of rows, names with values, panels, and what is read again and again.
import { html, useEffect, useId } from "./vendor/ui.js";
import { address, count, go, useLoaded } from "./parts.js";

/** A table of rows; a head may be a pair of text and class, and an empty one is for actions. */
export function Rows({ label, head, children }) {
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${label}><table class="list"><thead><tr>
    ${head.map((each) => (each ? html`<th scope="col" class=${Array.isArray(each) ? each[1] : ""}>${Array.isArray(each) ? each[0] : each}</th>` : html`<th><span class="hidden">Actions</span></th>`))}</tr></thead>
    <tbody>${children}</tbody></table></div>`;
}

/** Names and values; a pair that is false is left out. */
export const Facts = ({ rows }) => html`<dl class="facts">${rows.filter(Boolean).map(([name, value]) => html`<dt>${name}</dt><dd>${value ?? "–"}</dd>`)}</dl>`;

export function Panel({ title, children, actions, wide, kind = "" }) {
  const id = useId();
  return html`<section class=${`card ${kind} ${wide ? "whole" : ""}`} aria-labelledby=${id}><div class="row"><h2 id=${id}>${title}</h2>${actions && html`<div class="spacer"></div>${actions}`}</div>${children}</section>`;
}

/** As `useLoaded`, and again each `seconds` while the page is seen. */
export function usePolled(load, on, seconds) {
  const state = useLoaded(load, on);
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === "visible" && state.again(), seconds * 1000);
    return () => clearInterval(timer);
  }, [seconds]);
  return state;
}

/** Change the query of the address; an empty value leaves. */
export function setQuery(part, { replace = false } = {}) {
  const { path, query } = address.value;
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(part)) value ? next.set(name, value) : next.delete(name);
  go(path + (next.size ? `?${next}` : ""), { replace });
}

const UNITS = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];

/** A duration in its largest unit: `3 d`. */
export function duration(seconds) {
  if (seconds === undefined || seconds === null) return "–";
  if (Math.abs(seconds) < 1) return seconds ? `${Math.round(seconds * 1000)} ms` : "0 s";
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each);
  return `${count(Math.round(seconds / size))} ${unit}`;
}

export const sinceText = (at) => duration((Date.now() - new Date(at)) / 1000);

export const share = (part) => `${Math.round(part * 100)} %`;

/** How full something is. */
export const Meter = ({ label, share: part }) => html`<meter aria-label=${label} min="0" max="1" low="0.75" high="0.9" optimum="0" value=${Math.min(Math.max(part, 0), 1)} title=${share(part)}></meter>`;
