// The head of the pages of one table: its name, state and size, and links between its pages.
import { html } from "../vendor/ui.js";
import { TABLE_PAGES } from "../pages.js";
import { Badge, bytes, Copy, Link, plural, tablePath } from "../parts.js";

export function TableHead({ name, table, page }) {
  return html`<div class="head table-head">
    <p class="crumbs"><${Link} to="/tables">Tables<//> <span aria-hidden="true">/</span></p>
    <h1>${name}</h1><${Copy} text=${name} label="Copy name" />
    ${table && html`<${Badge} kind=${table.TableStatus === "ACTIVE" ? "ok" : "warn"}>${table.TableStatus}<//>
      <span class="muted">${plural(table.ItemCount, "item")} · ${bytes(table.TableSizeBytes)}</span>`}
    <div class="spacer"></div>
    <nav class="pages" aria-label="Pages of this table"><ul>${TABLE_PAGES.map((each) => html`
      <li><${Link} to=${tablePath(name, each.path)} aria-current=${each.path === page ? "page" : undefined}>${each.title}<//></li>`)}</ul></nav>
  </div>`;
}
