/** Word differences between two short texts, by the longest common subsequence. */

export interface Piece { kind: "same" | "gone" | "new"; text: string }

const MOST = 1_200;

const split = (text: string): string[] => text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];

export function diffWords(before: string, after: string): Piece[] {
  const a = split(before);
  const b = split(after);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const left = a.slice(start, a.length - end);
  const right = b.slice(start, b.length - end);
  const pieces: Piece[] = [];
  add(pieces, "same", a.slice(0, start).join(""));
  if (left.length * right.length > MOST * MOST) {
    add(pieces, "gone", left.join(""));
    add(pieces, "new", right.join(""));
  } else middle(left, right, pieces);
  add(pieces, "same", a.slice(a.length - end).join(""));
  return pieces;
}

function middle(a: string[], b: string[], pieces: Piece[]): void {
  const width = b.length + 1;
  const table = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      table[i * width + j] = a[i] === b[j] ? (table[(i + 1) * width + j + 1] ?? 0) + 1 : Math.max(table[(i + 1) * width + j] ?? 0, table[i * width + j + 1] ?? 0);
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      add(pieces, "same", a[i] ?? "");
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && (table[(i + 1) * width + j] ?? 0) >= (table[i * width + j + 1] ?? 0))) {
      add(pieces, "gone", a[i] ?? "");
      i += 1;
    } else {
      add(pieces, "new", b[j] ?? "");
      j += 1;
    }
  }
}

function add(pieces: Piece[], kind: Piece["kind"], text: string): void {
  if (!text) return;
  const last = pieces.at(-1);
  if (last?.kind === kind) last.text += text;
  else pieces.push({ kind, text });
}

export interface Line { kind: "same" | "gone" | "new" | "place"; pieces: Piece[] }

/** Read the lines of a unified diff; changed lines that stand in pairs are compared by words. */
export function readDiff(lines: readonly string[]): Line[] {
  const found: Line[] = [];
  let gone: string[] = [];
  let fresh: string[] = [];
  const flush = (): void => {
    const pairs = gone.length === fresh.length ? gone.map((line, place) => diffWords(line, fresh[place] ?? "")) : null;
    gone.forEach((line, place) => found.push({ kind: "gone", pieces: pairs?.[place]?.filter((one) => one.kind !== "new") ?? [{ kind: "same", text: line }] }));
    fresh.forEach((line, place) => found.push({ kind: "new", pieces: pairs?.[place]?.filter((one) => one.kind !== "gone") ?? [{ kind: "same", text: line }] }));
    gone = [];
    fresh = [];
  };
  for (const line of lines) {
    if (/^(---|\+\+\+) /.test(line) && found.length === 0 && gone.length + fresh.length === 0) continue;
    if (line.startsWith("-")) {
      if (fresh.length) flush();
      gone.push(line.slice(1));
    } else if (line.startsWith("+")) fresh.push(line.slice(1));
    else {
      flush();
      found.push(line.startsWith("@@") ? { kind: "place", pieces: [{ kind: "same", text: line }] } : { kind: "same", pieces: [{ kind: "same", text: line.slice(1) }] });
    }
  }
  flush();
  return found;
}
