/** A change of a text, with the changed words marked. */

import { readDiff, type Line } from "../diff";
import { words } from "./words";

const MOST_LINES = 200;
const SIGN = { same: " ", gone: "−", new: "+", place: "" };
const SAID = { same: "", gone: "removed: ", new: "added: ", place: "" };

export function Diff({ lines, label }: { lines: readonly string[]; label: string }) {
  const found = readDiff(lines);
  return (
    <div class="diff" role="region" aria-label={label} tabIndex={0}>
      {found.slice(0, MOST_LINES).map((line, place) => (
        <Row key={place} line={line} />
      ))}
      {found.length > MOST_LINES ? <p class="quiet">… {found.length - MOST_LINES} more lines</p> : null}
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
