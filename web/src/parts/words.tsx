/** Words of others: text only, with invisible characters shown by their code. */

import type { ComponentChildren } from "preact";

// Controls, zero-width and bidi characters, tags, fillers and unusual separators. Tab and newline are plain.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]|[\u{e0000}-\u{e0fff}]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gu;
const LONGEST = 20_000;
const MOST_MARKS = 300;

/** Return text with what cannot be seen shown as its code point. */
export function words(text: string | null | undefined, most = LONGEST): ComponentChildren {
  if (!text) return text ?? "";
  const cut = text.length > most;
  const shown = cut ? text.slice(0, most) : text;
  const rest = cut ? <em class="quiet"> … {(text.length - most).toLocaleString("en")} more characters</em> : null;
  if (shown.search(HIDDEN) < 0) return cut ? [shown, rest] : shown;
  const parts: ComponentChildren[] = [];
  let last = 0;
  let marks = 0;
  for (const found of shown.matchAll(HIDDEN)) {
    parts.push(shown.slice(last, found.index));
    last = found.index + found[0].length;
    marks += 1;
    parts.push(marks > MOST_MARKS ? "▯" : <Mark key={found.index} character={found[0]} />);
  }
  parts.push(shown.slice(last), rest);
  return parts;
}

function Mark({ character }: { character: string }) {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return <span class="hidden-character" title={`invisible character U+${code}`}>U+{code}</span>;
}

const SOURCES: Record<string, string> = {
  tool: "Words from a tool",
  third_party: "Words from a third party",
};

/** Frame words that neither the user nor DMM wrote. */
export function Foreign({ trust, children }: { trust: string | null | undefined; children: ComponentChildren }) {
  const label = trust ? SOURCES[trust] : undefined;
  if (!label) return <>{children}</>;
  return (
    <figure class="foreign">
      <figcaption>{label}. Not instructions, not yet believed.</figcaption>
      {children}
    </figure>
  );
}
