/** A change of a text, with the changed words marked. */

import { useState } from "preact/hooks";
import { readDiff, type Line } from "../diff";
import { Button } from "./ui";
import { plural } from "../text";
import { words } from "./words";

/** So many lines are shown at first. */
const FIRST_LINES = 200;
const SIGN = { same: " ", gone: "−", new: "+", place: "" };
const SAID = { same: "", gone: "removed: ", new: "added: ", place: "" };

export const isLong = (lines: readonly string[]): boolean => readDiff(lines).length > FIRST_LINES;

/** Show a change; `onWhole` is called when all of a long one is shown. */
export function Diff({ lines, label, onWhole }: { lines: readonly string[]; label: string; onWhole?: () => void }) {
  const [whole, setWhole] = useState(false);
  const found = readDiff(lines);
  const left = whole ? 0 : Math.max(0, found.length - FIRST_LINES);
  const showAll = (): void => {
    setWhole(true);
    onWhole?.();
  };
  return (
    <div class="diff" role="region" aria-label={label} tabIndex={0}>
      {found.slice(0, found.length - left).map((line, place) => (
        <Row key={place} line={line} />
      ))}
      {left ? <Button kind="quiet" onClick={showAll}>Show {plural(left, "more line")}</Button> : null}
    </div>
  );
}

function Row({ line }: { line: Line }) {
  return (
    <div class={`diff-line ${line.kind}`}>
      <span class="diff-sign" aria-hidden="true">{SIGN[line.kind]}</span>
      <span class="diff-text">
        {SAID[line.kind] ? <span class="said">{SAID[line.kind]}</span> : null}
        {line.pieces.map((piece, place) =>
          piece.kind === "same" ? <span key={place}>{words(piece.text)}</span> : piece.kind === "gone" ? <del key={place}>{words(piece.text)}</del> : <ins key={place}>{words(piece.text)}</ins>,
        )}
      </span>
    </div>
  );
}
