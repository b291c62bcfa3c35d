export { Component, Fragment, createContext, h, render } from "preact";
export {
  useCallback, useContext, useEffect, useErrorBoundary, useId, useLayoutEffect, useMemo, useRef, useState,
} from "preact/hooks";
export { html } from "htm/preact";
export { batch, computed, effect, signal, untracked } from "@preact/signals-core";
