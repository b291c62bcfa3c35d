// Text editors of JSON and PartiQL, on CodeMirror. They live in a shadow root: there CodeMirror uses
// constructed style sheets, which the content security policy allows.
import { html, useEffect, useRef } from "./vendor/ui.js";

let loading;
const load = () => (loading ??= import("./vendor/editor.js"));

const LOOK = {
  "&": { fontSize: "13px", height: "100%", backgroundColor: "var(--field)", color: "var(--text)" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5", overflow: "auto" },
  ".cm-content": { caretColor: "var(--text)", padding: "8px 0" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--muted)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--hover)" },
  "&.cm-focused": { outline: "none" },
  ".cm-selectionBackground, &.cm-focused .cm-selectionBackground": { backgroundColor: "var(--selection) !important" },
  ".cm-tooltip": { backgroundColor: "var(--panel)", color: "var(--text)", border: "1px solid var(--line)", borderRadius: "6px", overflow: "hidden" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-placeholder": { color: "var(--muted)" },
  ".t-keyword": { color: "var(--syntax-keyword)" },
  ".t-string": { color: "var(--syntax-string)" },
  ".t-number": { color: "var(--syntax-number)" },
  ".t-name": { color: "var(--syntax-name)" },
  ".t-comment": { color: "var(--muted)" },
  ".t-fault": { textDecoration: "underline wavy var(--danger)" },
};
const KEYWORDS = "all and as asc between by delete desc exists false from in insert into is like limit missing modified new not null old on or order remove returning select set true update value values where";
/** Tokens, by class; strings end with their line, so that only the lines that are shown are read. */
const TOKENS = {
  json: /(?<name>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\]|\\.)*"?)|(?<number>-?\b\d[\d.eE+-]*|\b(?:true|false|null)\b)/g,
  text: /(?<string>"(?:[^"\\]|\\.)*"?|'[^']*'?)|(?<comment>(?<=\s|^)#.*)|(?<name>[\w.-]+(?=\s*[=:]))|(?<number>-?\b\d[\d._eE+-]*|\b(?:true|false|null)\b)|\w+/g,
  partiql: new RegExp(String.raw`(?<comment>--.*)|(?<string>'(?:[^']|'')*'?)|(?<name>"(?:[^"]|"")*"?)|(?<number>\b\d[\d.]*(?:e[+-]?\d+)?\b)|(?<keyword>\b(?:${KEYWORDS.replaceAll(" ", "|")})\b)|\w+`, "gi"),
};

/** Marks tokens of the lines that are shown. */
function highlighter(cm, language) {
  const matcher = new cm.MatchDecorator({
    regexp: TOKENS[language],
    decoration: ({ groups }) => {
      const found = Object.keys(groups).find((name) => groups[name] !== undefined);
      return found ? cm.Decoration.mark({ class: `t-${found}` }) : null;
    },
  });
  return cm.ViewPlugin.define((view) => ({
    marks: matcher.createDeco(view),
    update(update) { this.marks = matcher.updateDeco(update, this.marks); },
  }), { decorations: (plugin) => plugin.marks });
}

/** The mark of a fault, and the effect that moves it: `{ at, message }` or undefined. */
function faultMark(cm) {
  const effect = cm.StateEffect.define();
  const mark = ({ at, message }, length) => {
    const from = Math.max(0, Math.min(at, length - 1));
    return from < length ? cm.Decoration.set(cm.Decoration.mark({ class: "t-fault", attributes: { title: message } }).range(from, from + 1)) : cm.Decoration.none;
  };
  const field = cm.StateField.define({
    create: () => cm.Decoration.none,
    update(marks, transaction) {
      const found = transaction.effects.find((each) => each.is(effect));
      if (!found) return marks.map(transaction.changes);
      return found.value?.at === undefined ? cm.Decoration.none : mark(found.value, transaction.newDoc.length);
    },
    provide: (each) => cm.EditorView.decorations.from(each),
  });
  return { effect, field };
}

/** Words that can follow in a statement; `words` are `{ label, type }`. */
function completion(words) {
  return (context) => {
    const found = context.matchBefore(/[\w.:"-]*/);
    if (found.from === found.to && !context.explicit) return null;
    return { from: found.from, options: words().map((each) => ({ ...each, apply: each.apply ?? each.label })) };
  };
}

/**
 * A text editor. It has `value` at first, and again when `given` changes; `language` is `json`, `partiql`, or `text` for TOML and YAML; `words`, a function of completions; `fault`,
 * `{ at, message }`, is underlined; `spot`, `{ at }`, is shown with the cursor when it changes; `onRun` for Ctrl+Enter.
 */
export function TextEditor({ label, language, value, given = 0, onValue, words = () => [], fault, spot, onRun, placeholder = "", rows = 12 }) {
  const place = useRef();
  const state = useRef({});
  Object.assign(state.current, { onValue, onRun, words });
  useEffect(() => {
    let view;
    let gone = false;
    load().then((cm) => {
      if (gone) return;
      const root = place.current.shadowRoot ?? place.current.attachShadow({ mode: "open", delegatesFocus: true });
      const mark = faultMark(cm);
      const extensions = [
        cm.lineNumbers(), cm.history(), cm.drawSelection(), cm.bracketMatching(), cm.closeBrackets(), cm.highlightActiveLine(),
        cm.EditorView.lineWrapping, highlighter(cm, language), mark.field, cm.EditorView.theme(LOOK), cm.placeholder(placeholder),
        cm.autocompletion({ override: [completion(() => state.current.words())], icons: false, defaultKeymap: true }),
        cm.Prec.highest(cm.keymap.of([
          { key: "Mod-Enter", run: () => { state.current.onRun?.(); return true; } },
          { key: "Escape", run: (each) => { if (each.dom.querySelector(".cm-tooltip-autocomplete")) return false; each.contentDOM.blur(); return true; } },
        ])),
        cm.keymap.of([...cm.closeBracketsKeymap, ...cm.completionKeymap, ...cm.standardKeymap, ...cm.historyKeymap]),
        cm.EditorView.contentAttributes.of({ "aria-label": label, role: "textbox", tabindex: "0", "aria-multiline": "true", spellcheck: "false" }),
        cm.EditorView.updateListener.of((update) => {
          if (update.docChanged) state.current.onValue(update.state.doc.toString());
        }),
      ];
      view = new cm.EditorView({ doc: value, extensions, root, parent: root });
      Object.assign(state.current, { view, effect: mark.effect });
      if (place.current.dataset.autofocus) view.focus();
    });
    return () => {
      gone = true;
      view?.destroy();
    };
  }, []);
  useEffect(() => {
    const { view } = state.current;
    if (view && view.state.doc.toString() !== value) view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } });
  }, [given]);
  useEffect(() => {
    const { view, effect } = state.current;
    view?.dispatch({ effects: effect.of(fault) });
  }, [fault?.at, fault?.message]);
  useEffect(() => {
    const { view } = state.current;
    if (!view || !spot) return;
    view.dispatch({ selection: { anchor: Math.min(spot.at, view.state.doc.length) }, scrollIntoView: true });
    view.focus();
  }, [spot]);
  return html`<div class="editor" style=${{ height: `${rows * 1.5}em` }} ref=${place}></div>`;
}
