export { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
export { history, historyKeymap, standardKeymap } from "@codemirror/commands";
export { bracketMatching } from "@codemirror/language";
export { EditorState, Prec, StateEffect, StateField } from "@codemirror/state";
export { Decoration, EditorView, MatchDecorator, ViewPlugin, drawSelection, highlightActiveLine, keymap, lineNumbers, placeholder } from "@codemirror/view";
