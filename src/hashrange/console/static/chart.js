// Values over time as lines: SVG, coloured by the style sheet. A screen reader gets each line's last and highest value.
import { html, useState } from "./vendor/ui.js";

const STEPS = [1, 2, 2.5, 5, 10];
const short = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

/** A number with three significant digits: 12.3K. */
export const shortNumber = (value) => (value === null || value === undefined ? "–" : short.format(value));

/** The least round number that is not below a value. */
export function roundAbove(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * STEPS.find((each) => each * power >= value * 0.999999);
}

/** The path of values in a square of 100; a null interrupts the line. */
export function pathOf(values, top) {
  const step = values.length > 1 ? 100 / (values.length - 1) : 0;
  let begun = false;
  return values.map((value, index) => {
    if (value === null || value === undefined) {
      begun = false;
      return "";
    }
    const point = `${begun ? "L" : "M"}${(index * step).toFixed(2)} ${(100 - (100 * value) / top).toFixed(2)}`;
    begun = true;
    return point;
  }).join("");
}

const clock = (at) => new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });

/**
 * Lines over `times`, in milliseconds. `series`: `{ name, color, values, dashed }`, with a colour from 0 to 7 and a value or
 * null for each time; `text` makes a value readable. Arrow keys and the pointer choose the time whose values are shown.
 */
export function LineChart({ label, times, series, text = shortNumber }) {
  const [chosen, choose] = useState(null);
  const last = times.length - 1;
  const at = Math.min(chosen ?? last, last);
  const most = Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const top = roundAbove(most);
  const said = series.map(({ name, values }) => `${name}: now ${text(values[last])}, at most ${text(Math.max(0, ...values.map((value) => value ?? 0)))}`).join("; ");
  const point = (event) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    choose(Math.max(0, Math.min(last, Math.round(((event.clientX - left) / width) * last))));
  };
  const press = (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "Escape") choose(null);
    if (!step) return;
    event.preventDefault();
    choose(Math.max(0, Math.min(last, at + step)));
  };
  const share = last > 0 ? (100 * at) / last : 0;
  return html`<figure class="chart">
    <figcaption><strong>${label}</strong><span class="muted">${chosen === null ? "now" : clock(times[at])}</span></figcaption>
    <div class="plot">
      <div class="levels" aria-hidden="true"><span>${text(top)}</span><span>${text(top / 2)}</span><span>${text(0)}</span></div>
      <div class="curve" role="slider" tabindex="0" aria-label=${`${label}. ${said}`} aria-valuemin="0" aria-valuemax=${Math.max(0, last)} aria-valuenow=${Math.max(0, at)}
        aria-valuetext=${times.length ? `${clock(times[at])}: ${series.map(({ name, values }) => `${name} ${text(values[at])}`).join(", ")}` : "nothing"}
        onPointerMove=${point} onPointerLeave=${() => choose(null)} onKeyDown=${press}>
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
          <path class="rule" d="M0 0H100M0 50H100M0 100H100" />
          ${series.map(({ color, values, dashed }) => html`<path class=${`e${color} ${dashed ? "dashed" : ""}`} d=${pathOf(values, top)} />`)}
          ${chosen !== null && html`<path class="rule at" d=${`M${share} 0V100`} />`}
        </svg>
      </div>
      <div class="times muted" aria-hidden="true">${times.length > 0 && [0, last].map((index) => html`<span>${clock(times[index])}</span>`)}</div>
    </div>
    <ul class="legend">${series.map(({ name, color, values }) => html`<li class=${`e${color}`}>${name} <strong>${text(values[at])}</strong></li>`)}</ul>
  </figure>`;
}
