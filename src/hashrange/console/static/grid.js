// A grid of items. Only the rows in view are elements, however many items there are.
import { html, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "./vendor/ui.js";
import { visible } from "./json.js";
import { copyText } from "./parts.js";
import { contentOf, isScalar, own, preview, timeHint, typeOf } from "./values.js";

const ROW_PX = 30;
const TICK_PX = 40;
const AROUND = 4;
const ROWS_MAX = 54;
const COLUMN_PX = { least: 90, most: 340, character: 7.4, padding: 44 };
const SAMPLE = 60;

function widthOf(name, items) {
  const longest = items.slice(0, SAMPLE).reduce((most, item) => { const value = own(item, name); return Math.max(most, value ? preview(value, 50).length + (timeHint(value) ? 20 : 0) : 0); }, name.length + 2);
  return Math.round(Math.min(COLUMN_PX.most, Math.max(COLUMN_PX.least, longest * COLUMN_PX.character + COLUMN_PX.padding)));
}

/** The names of attributes of items: the keys first, then by how many items have them. */
export function columnsOf(items, keys) {
  const counts = new Map();
  for (const item of items) for (const name of Object.keys(item)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const others = [...counts.keys()].filter((name) => !keys.includes(name));
  return [...keys.filter((name) => counts.has(name)), ...others.sort((a, b) => counts.get(b) - counts.get(a) || (a < b ? -1 : 1))];
}

function Cell({ value, name, id, column, current, isKey, onPick, onOpen, edit }) {
  if (edit) return html`<div class="cell editing" role="gridcell" id=${id} aria-colindex=${column}><${Editor} ...${edit} name=${name} /></div>`;
  const type = value && typeOf(value);
  const time = timeHint(value);
  return html`<div class=${`cell ${current ? "current" : ""} ${isKey ? "key" : ""}`} role="gridcell" id=${id} aria-colindex=${column} onPointerDown=${onPick} onDblClick=${onOpen}>
    ${value && html`<span class=${`type ${type}`} title=${type}>${type}</span><span class="text">${preview(value)}</span>${time && html`<time class="hint" datetime=${time.toISOString()} title=${`${time.toISOString()} (UTC)`}>${time.toLocaleString()}</time>`}`}
  </div>`;
}

/** The field of a value that is edited in its cell. */
function Editor({ name, value, onText, fault, onKeep, onCancel }) {
  const field = useRef();
  useEffect(() => {
    field.current.focus();
    field.current.select();
  }, []);
  const press = (event) => {
    event.stopPropagation();
    if (event.key === "Enter") onKeep();
    if (event.key === "Escape") onCancel();
  };
  const id = useId();
  return html`<input ref=${field} aria-label=${`New value of ${name}`} aria-invalid=${fault ? "true" : undefined} aria-describedby=${fault ? id : undefined} class=${fault ? "wrong" : ""} value=${value} onInput=${(event) => onText(event.target.value)} onKeyDown=${press} onBlur=${onCancel} spellcheck=${false} />${fault && html`<span class="fault" id=${id} role="alert" ref=${(shown) => shown?.scrollIntoView({ block: "nearest" })}>${visible(fault)}</span>`}`;
}

/**
 * Args: `items`; `columns`, their names; `keys`, those that are keys; `chosen`, a Set of indexes, with
 * `onChoose`, undefined if rows are not selected; `marks`, a class for the row of an index; `onOpen(row)`, for the whole item;
 * `onValue(row, name, text)` stages a value, undefined if cells are not edited; `faultOf(row, name, text)` is what is
 * wrong with it, or null; `onDelete`.
 */
export function Grid({ label, items, columns, keys, chosen, onChoose, marks, onOpen, onValue, faultOf, onDelete, sort, onSort }) {
  const scroller = useRef();
  const [top, scroll] = useState(0);
  const [height, measure] = useState(480);
  const [at, move] = useState({ row: 0, column: 0 });
  const [edit, setEdit] = useState(null);
  const widths = useMemo(() => columns.map((name) => widthOf(name, items)), [columns.join("\u0000"), items]);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => measure(scroller.current.clientHeight));
    observer.observe(scroller.current);
    return () => observer.disconnect();
  }, []);
  const tick = onChoose ? TICK_PX : 0;
  const first = Math.max(0, Math.floor(top / ROW_PX) - AROUND);
  const slots = Math.min(ROWS_MAX, Math.ceil(height / ROW_PX) + 2 * AROUND);
  const last = Math.min(items.length, first + slots);
  const template = { gridTemplateColumns: `${onChoose ? `${tick}px ` : ""}${widths.map((each) => `${each}px`).join(" ")}`, width: `${tick + widths.reduce((sum, each) => sum + each, 0)}px` };
  const show = (row, column) => {
    const next = { row: Math.max(0, Math.min(items.length - 1, row)), column: Math.max(0, Math.min(columns.length - 1, column)) };
    move(next);
    const place = scroller.current;
    const y = next.row * ROW_PX;
    if (y < place.scrollTop) place.scrollTop = y;
    else if (y + 2 * ROW_PX > place.scrollTop + place.clientHeight) place.scrollTop = y + 2 * ROW_PX - place.clientHeight;
    const x = widths.slice(0, next.column).reduce((sum, each) => sum + each, tick);
    if (x - tick < place.scrollLeft) place.scrollLeft = x - tick;
    else if (x + widths[next.column] > place.scrollLeft + place.clientWidth) place.scrollLeft = x + widths[next.column] - place.clientWidth;
  };
  const toggle = (row) => {
    const next = new Set(chosen);
    if (!next.delete(row)) next.add(row);
    onChoose(next);
  };
  const open = (row, column) => {
    const name = columns[column];
    const value = items[row] && own(items[row], name);
    if (!onValue || keys.includes(name) || !value || !isScalar(value) || typeOf(value) === "B" || String(contentOf(value)).length > 2000) return onOpen(row);
    const text = typeOf(value) === "NULL" ? "null" : String(contentOf(value));
    return setEdit({ row, name, value: text, fault: null });
  };
  const keepEdit = () => {
    if (edit.fault) return;
    onValue(edit.row, edit.name, edit.value);
    setEdit(null);
    scroller.current.focus();
  };
  const cancelEdit = () => {
    setEdit(null);
    scroller.current?.focus();
  };
  const page = Math.max(1, Math.floor(height / ROW_PX) - 2);
  const press = (event) => {
    if (!items.length) return;
    const { row, column } = at;
    const whole = event.ctrlKey || event.metaKey;
    const moves = {
      ArrowDown: [row + 1, column], ArrowUp: [row - 1, column], ArrowRight: [row, column + 1], ArrowLeft: [row, column - 1],
      PageDown: [row + page, column], PageUp: [row - page, column],
      Home: [whole ? 0 : row, 0], End: [whole ? items.length - 1 : row, columns.length - 1],
    };
    if (event.key in moves) show(...moves[event.key]);
    else if (event.key === " " && onChoose) toggle(row);
    else if (event.key === "Enter" || event.key === "F2") open(row, column);
    else if (event.key === "o" && !whole && onSort) onSort(columns[column]);
    else if (event.key === "Delete" && onDelete) onDelete(chosen?.size ? [...chosen] : [row]);
    else if (whole && event.key === "c" && items[row] && own(items[row], columns[column])) {
      const value = items[row][columns[column]];
      copyText(isScalar(value) ? String(contentOf(value)) : JSON.stringify(value));
    } else if (whole && event.key === "a" && onChoose) onChoose(new Set(items.keys()));
    else return;
    event.preventDefault();
  };
  const allChosen = items.length > 0 && chosen?.size === items.length;
  const rows = [];
  for (let row = first; row < last; row += 1) {
    const item = items[row];
    // All elements are used again, however far the rows are scrolled: scrolling creates none.
    rows.push(html`<div key=${row % slots} role="row" aria-rowindex=${row + 2} aria-selected=${chosen?.has(row)} class=${`line ${marks?.(row) ?? ""} ${at.row === row ? "at" : ""}`} style=${{ ...template, transform: `translateY(${row * ROW_PX}px)` }}>
      ${onChoose && html`<div class="cell tick" role="gridcell" aria-colindex="1"><input type="checkbox" tabindex="-1" aria-label=${`Select row ${row + 1}`} checked=${chosen?.has(row)} onChange=${() => toggle(row)} /></div>`}
      ${columns.map((name, column) => html`<${Cell} key=${name} id=${`cell-${row}-${column}`} name=${name} value=${own(item, name)} column=${column + 2} isKey=${keys.includes(name)} current=${at.row === row && at.column === column}
        onPick=${() => move({ row, column })} onOpen=${() => open(row, column)}
        edit=${edit?.row === row && edit.name === name ? { ...edit, onText: (value) => setEdit({ ...edit, value, fault: faultOf(row, name, value) }), onKeep: keepEdit, onCancel: cancelEdit } : null} />`)}
    </div>`);
  }
  const isShown = at.row >= first && at.row < last && items.length > 0;
  return html`<div class="grid" role="grid" aria-label=${label} aria-rowcount=${items.length + 1} aria-colcount=${columns.length + 1} aria-multiselectable=${onChoose ? "true" : undefined} tabindex="0" ref=${scroller} style=${{ maxHeight: `${(items.length + 1) * ROW_PX + 20}px` }}
      aria-activedescendant=${isShown ? `cell-${at.row}-${at.column}` : undefined} onScroll=${(event) => scroll(event.currentTarget.scrollTop)} onKeyDown=${press}>
    <div role="rowgroup" class="grid-head"><div role="row" aria-rowindex="1" class="line header" style=${template}>
      ${onChoose && html`<div class="cell tick" role="columnheader" aria-colindex="1"><input type="checkbox" tabindex="-1" aria-label="Select all" checked=${allChosen} onChange=${() => onChoose(allChosen ? new Set() : new Set(items.keys()))} /></div>`}
      ${columns.map((name, column) => html`<div class=${`cell ${keys.includes(name) ? "key" : ""}`} role="columnheader" aria-colindex=${column + 2} aria-sort=${sort?.name === name ? (sort.down ? "descending" : "ascending") : undefined} title=${`${visible(name)}: sort the items that are shown`} onClick=${() => onSort?.(name)}>
        <span class="text">${visible(name)}</span>${keys.includes(name) && html`<small class="muted">key</small>`}${sort?.name === name && html`<span aria-hidden="true">${sort.down ? " ↓" : " ↑"}</span>`}</div>`)}
    </div></div>
    <div role="rowgroup" class="lines" style=${{ height: `${items.length * ROW_PX}px`, width: template.width }}>${rows}</div>
  </div>`;
}
