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
};
const COLORS = [["keyword", "--syntax-keyword"], ["string", "--syntax-string"], ["number", "--syntax-number"], ["bool", "--syntax-number"], ["null", "--syntax-number"], ["propertyName", "--syntax-name"], ["comment", "--muted"], ["typeName", "--syntax-name"], ["special(string)", "--syntax-name"]];
const PARTIQL_KEYWORDS = "and as asc between by delete desc exists false from in insert into is like limit missing not null old new all modified or order returning select set remove true update value values where contains begins_with attribute_type size list_append set_add set_delete";

/** Words that can follow in a statement; `words` are `{ label, type }`. */
function completion(words) {
  return (context) => {
    const found = context.matchBefore(/[\w.:"-]*/);
    if (found.from === found.to && !context.explicit) return null;
    return { from: found.from, options: words().map((each) => ({ ...each, apply: each.apply ?? each.label })) };
  };
}

/**
 * A text editor. It has `value` at first, and again when `given` changes; `language` is `json` or `partiql`; `words`, a function of completions; `fault`,
 * `{ at, message }`, is underlined; `onRun` for Ctrl+Enter.
 */
export function TextEditor({ label, language, value, given = 0, onValue, words = () => [], fault, onRun, placeholder = "", rows = 12 }) {
  const place = useRef();
  const state = useRef({});
  Object.assign(state.current, { onValue, onRun, words });
  useEffect(() => {
    let view;
    let gone = false;
    load().then((cm) => {
      if (gone) return;
      const root = place.current.shadowRoot ?? place.current.attachShadow({ mode: "open", delegatesFocus: true });
      const style = cm.HighlightStyle.define(COLORS.map(([name, color]) => {
        const special = /^special\((\w+)\)$/.exec(name);
        return { tag: special ? cm.tags.special(cm.tags[special[1]]) : cm.tags[name], color: `var(${color})` };
      }));
      const dialect = cm.SQLDialect.define({ keywords: PARTIQL_KEYWORDS, types: "", doubleQuotedStrings: false, identifierQuotes: '"', charSetCasts: false });
      const extensions = [
        cm.lineNumbers(), cm.history(), cm.drawSelection(), cm.bracketMatching(), cm.closeBrackets(), cm.indentOnInput(), cm.highlightActiveLine(),
        cm.EditorView.lineWrapping, cm.syntaxHighlighting(style), cm.EditorView.theme(LOOK), cm.placeholder(placeholder),
        language === "json" ? cm.json() : cm.sql({ dialect, upperCaseKeywords: true }),
        cm.autocompletion({ override: [completion(() => state.current.words())], icons: false, defaultKeymap: true }),
        cm.Prec.highest(cm.keymap.of([
          { key: "Mod-Enter", run: () => { state.current.onRun?.(); return true; } },
          { key: "Escape", run: (each) => { if (each.dom.querySelector(".cm-tooltip-autocomplete")) return false; each.contentDOM.blur(); return true; } },
        ])),
        cm.keymap.of([...cm.closeBracketsKeymap, ...cm.completionKeymap, ...cm.defaultKeymap, ...cm.historyKeymap]),
        cm.EditorView.contentAttributes.of({ "aria-label": label, role: "textbox", "aria-multiline": "true", spellcheck: "false" }),
        cm.EditorView.updateListener.of((update) => {
          if (update.docChanged) state.current.onValue(update.state.doc.toString());
        }),
      ];
      view = new cm.EditorView({ doc: value, extensions, root, parent: root });
      Object.assign(state.current, { view, cm });
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
    const { view, cm } = state.current;
    if (!view) return;
    const at = Math.min(fault?.at ?? 0, view.state.doc.length);
    const marks = fault?.at === undefined ? [] : [{ from: at, to: Math.min(at + 1, view.state.doc.length), severity: "error", message: fault.message }];
    view.dispatch(cm.setDiagnostics(view.state, marks));
  }, [fault?.at, fault?.message]);
  return html`<div class="editor" style=${{ height: `${rows * 1.5}em` }} ref=${place}></div>`;
}
