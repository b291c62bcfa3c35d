// Statements of PartiQL in a text: where each begins, and what its parameters are. Pure.

/** The statements of a text, separated by semicolons, without comments: `{ text, marks }`, of which `marks` counts parameters. */
export function statementsOf(text) {
  const found = [];
  let marks = 0;
  let at = 0;
  let kept = "";
  const end = () => {
    if (kept.trim()) found.push({ text: kept.trim(), marks });
    kept = "";
    marks = 0;
  };
  while (at < text.length) {
    const each = text[at];
    if (each === "'" || each === '"') {
      let close = at + 1;
      while (close < text.length && !(text[close] === each && text[close + 1] !== each)) close += text[close] === each ? 2 : 1;
      kept += text.slice(at, close + 1);
      at = close + 1;
    } else if (text.startsWith("--", at)) {
      const line = text.indexOf("\n", at);
      const stop = line < 0 ? text.length : line;
      kept += " ".repeat(stop - at);
      at = stop;
    } else {
      if (each === ";") end();
      else {
        if (each === "?") marks += 1;
        kept += each;
      }
      at += 1;
    }
  }
  end();
  return found;
}

/** The name of the table of a statement; null if it cannot be told. */
export function tableOf(text) {
  const found = /\b(?:FROM|INTO|UPDATE)\s+(?:"((?:[^"]|"")+)"|([\w-]+))/i.exec(text);
  return found ? (found[1]?.replaceAll('""', '"') ?? found[2]) : null;
}

export const isRead = (text) => /^\s*SELECT\b/i.test(text);
