// The list of staged changes, and the conflicts that writing them has found.
import { html, useState } from "./vendor/ui.js";
import { Button, Dialog, ErrorBox, plural } from "./parts.js";
import { changedNames, changeOf, kindOf } from "./changes.js";
import { visible } from "./json.js";
import { keyText, own, preview } from "./values.js";

const SHOWN_MAX = 50;

/** The attributes that a change changes, before and after. */
export function Difference({ change }) {
  const names = changedNames(change);
  return html`<ul class="difference">${names.slice(0, 6).map((name) => html`<li key=${name}><code>${visible(name)}</code>
    ${[["del", change.before], ["ins", change.after]].map(([mark, item]) => item && own(item, name) && html`<${mark}>${preview(item[name], 60)}<//>`)}</li>`)}
    ${names.length > 6 && html`<li class="muted">and ${names.length - 6} more</li>`}</ul>`;
}

export function Staged({ table, changes, onChanges, onWrite, onOpen }) {
  const [state, set] = useState({});
  const schema = table.KeySchema;
  const write = async () => {
    const abort = new AbortController();
    set({ at: 0, abort });
    const done = await onWrite(changes, (at) => set({ at, abort }), abort.signal);
    set({ conflicts: done.conflicts.length ? done.conflicts : null, error: done.error });
  };
  const drop = (change) => onChanges(changes.filter((each) => each.id !== change.id));
  return html`<section class="staged" aria-label="Staged changes">
    <div class="row"><h2>${plural(changes.length, "staged change")}</h2><span class="muted">Not written yet.</span><div class="spacer"></div>
      ${state.abort ? html`<${Button} key="stop" kind="small" onClick=${() => state.abort.abort()}>Stop<//>` : html`<${Button} key="discard" kind="small" onClick=${() => onChanges([])}>Discard all<//>`}
      <${Button} kind="small primary" onClick=${write}>${state.abort ? `${state.at} of ${changes.length} written …` : `Write ${plural(changes.length, "change")}`}<//></div>
    <${ErrorBox} error=${state.error} />
    <ul class="changes">${changes.slice(0, SHOWN_MAX).map((change) => html`<li key=${change.id}>
      <span class=${`badge ${kindOf(change)}`}>${kindOf(change)}</span>
      <strong class="mono cut">${keyText(change.before ?? change.after, schema)}</strong>
      ${change.before && change.after && html`<${Difference} change=${change} />`}
      <div class="spacer"></div>
      ${change.after && html`<${Button} kind="quiet small" onClick=${() => onOpen(change)}>Edit<//>`}
      <${Button} kind="quiet small" onClick=${() => drop(change)}>Discard<//></li>`)}</ul>
    ${changes.length > SHOWN_MAX && html`<p class="muted">and ${changes.length - SHOWN_MAX} more</p>`}
    ${state.conflicts && html`<${Conflicts} conflicts=${state.conflicts} schema=${schema} changes=${changes} onChanges=${onChanges} onClose=${() => set({})} />`}
  </section>`;
}

/** Items that someone else has changed: theirs beside ours, and the choice. */
function Conflicts({ conflicts, schema, changes, onChanges, onClose }) {
  const [left, set] = useState(conflicts);
  const [list, change] = useState(changes);
  const decide = (conflict, next) => {
    const others = list.filter((each) => each.id !== conflict.change.id);
    const result = next ? [...others, next] : others;
    change(result);
    onChanges(result);
    const rest = left.filter((each) => each !== conflict);
    set(rest);
    if (!rest.length) onClose();
  };
  return html`<${Dialog} title="Changed by someone else" wide onClose=${onClose}>
    <p>These items are no longer as you have seen them. Nothing of them was written.</p>
    ${left.map((conflict) => {
      const { change: mine, now } = conflict;
      const rebased = () => ({ ...changeOf(now, mine.after && { ...now, ...onlyChanged(mine) }, schema) });
      return html`<article class="conflict" key=${mine.id}><h3 class="mono">${keyText(mine.before ?? mine.after, schema)}</h3>
        ${now ? html`<p>${mine.before ? "Changed since:" : "An item with this key is there already:"}</p><${Difference} change=${{ before: mine.before ?? {}, after: now }} />` : html`<p>It was deleted.</p>`}
        ${mine.after && html`<p>Your change:</p><${Difference} change=${mine} />`}
        <div class="row"><${Button} onClick=${() => decide(conflict, null)}>Discard mine<//>
          <${Button} kind="danger" onClick=${() => decide(conflict, now ? rebased() : { ...mine, ...changeOf(undefined, mine.after, schema) })} disabled=${!now && !mine.after}>${now ? "Stage mine over theirs" : "Stage it as a new item"}<//></div>
      </article>`;
    })}
  <//>`;
}

/** What a change sets, without what it leaves as it was. */
const onlyChanged = (change) => Object.fromEntries(changedNames(change).filter((name) => Object.hasOwn(change.after, name)).map((name) => [name, change.after[name]]));
