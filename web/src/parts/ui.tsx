/** The small parts every screen is made of. */

import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { type ApiError, root } from "../api";
import { keysOn } from "../state";
import { fullTime, shortTime } from "../text";
import { words } from "./words";

/** A key, as a hint on a button. */
export function Kbd({ children }: { children: string }) {
  return keysOn.value ? <kbd aria-hidden="true">{children}</kbd> : null;
}

interface ButtonProps {
  children: ComponentChildren;
  onClick: () => void;
  hint?: string;
  kind?: "plain" | "primary" | "danger" | "quiet";
  disabled?: boolean;
  pressed?: boolean;
  label?: string;
}

export function Button({ children, onClick, hint, kind = "plain", disabled, pressed, label }: ButtonProps) {
  return (
    <button type="button" class={`button ${kind}`} onClick={onClick} disabled={disabled} aria-pressed={pressed} aria-label={label}>
      {children}
      {hint ? <Kbd>{hint}</Kbd> : null}
    </button>
  );
}

export function Time({ at }: { at: string | null | undefined }) {
  return <time dateTime={at ?? ""} title={fullTime(at)}>{shortTime(at)}</time>;
}

const SIGNS: Record<string, string> = { good: "✓", warn: "!", ask: "?", block: "✗", plain: "" };

/** A state in one word, with a sign so that colour never stands alone. */
export function Tag({ tone = "plain", sign = true, children }: { tone?: string; sign?: boolean; children: ComponentChildren }) {
  const shown = sign ? SIGNS[tone] : "";
  return (
    <span class={`tag ${tone}`}>
      {shown ? <span aria-hidden="true">{shown}</span> : null}
      {children}
    </span>
  );
}

/** The command that gives the same answer, to copy, and the answer as JSON. */
export function Command({ line, json }: { line: string; json?: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(line);
      setCopied(true);
      setTimeout(() => setCopied(false), 1500);
    } catch {
      getSelection()?.selectAllChildren(code.current as HTMLElement);
    }
  };
  const code = useRef<HTMLElement>(null);
  const at = json && root.value ? `${json}${json.includes("?") ? "&" : "?"}root=${encodeURIComponent(root.value)}` : json;
  return (
    <div class="command">
      <code ref={code}><span class="prompt" aria-hidden="true">$ </span>{words(line, 400)}</code>
      <button type="button" class="link" onClick={() => void copy()} aria-label="Copy the command">{copied ? "Copied" : "Copy"}</button>
      {at ? <a href={at} target="_blank" rel="noreferrer">JSON</a> : null}
    </div>
  );
}

/** The head of a screen or of a detail: title, facts beside it, the command below. */
export function Head({ title, level = 1, facts, actions, line, json }: { title: ComponentChildren; level?: 1 | 2; facts?: ComponentChildren; actions?: ComponentChildren; line?: string; json?: string }) {
  const Heading = level === 1 ? "h1" : "h2";
  return (
    <header class={`head level-${level}`}>
      <div class="head-row">
        <Heading tabIndex={-1}>{title}</Heading>
        {facts ? <div class="facts">{facts}</div> : null}
        {actions ? <div class="actions">{actions}</div> : null}
      </div>
      {line ? <Command line={line} json={json} /> : null}
    </header>
  );
}

/** The level of a section's heading: below a screen's own, or below that of a detail. */
const Level = createContext<"h2" | "h3">("h3");

/** A screen without a list beside it. */
export function Page({ children }: { children: ComponentChildren }) {
  return <Level.Provider value="h2"><div class="page">{children}</div></Level.Provider>;
}

export function Section({ title, count, children, id }: { title: string; count?: ComponentChildren; children: ComponentChildren; id?: string }) {
  const Heading = useContext(Level);
  const name = id ?? `section-${title.toLowerCase().replace(/\W+/g, "-")}`;
  return (
    <section class="section" aria-labelledby={name}>
      <Heading id={name} class="section-title">{title}{count === undefined ? null : <span class="count">{count}</span>}</Heading>
      {children}
    </section>
  );
}

/** What a screen without content says: why, and what to run next. */
export function Empty({ title, children, line }: { title: string; children?: ComponentChildren; line?: string }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children ? <div class="empty-text">{children}</div> : null}
      {line ? <Command line={line} /> : null}
    </div>
  );
}

const SLOW = 1500;

/** Show nothing for a moment, then say that it takes time, and at last `slow`: why it does. */
export function Loading({ what = "Loading", slow }: { what?: string; slow?: string }) {
  const [shown, setShown] = useState(0);
  useEffect(() => {
    const timers = [150, SLOW].map((wait, step) => setTimeout(() => setShown(step + 1), wait));
    return () => timers.forEach(clearTimeout);
  }, []);
  return <p class={shown ? "loading" : "loading unseen"} role="status">{what} … {shown > 1 ? slow : null}</p>;
}

/** An error in the daemon's own words, with what to do about it. */
export function Problem({ error, retry, line }: { error: ApiError; retry?: () => void; line?: string }) {
  return (
    <div class="problem" role="alert">
      <p><strong>{words(error.what)}</strong></p>
      {error.where ? <p class="quiet">{words(error.where)}</p> : null}
      {error.hint ? <p>{words(error.hint)}</p> : null}
      {retry ? <Button onClick={retry}>Try again</Button> : null}
      {line ? <Command line={line} /> : null}
    </div>
  );
}

/** A share of a whole as a bar; the numbers stand beside it. */
export function Bar({ value, of, tone = "accent" }: { value: number; of: number; tone?: string }) {
  const share = of > 0 ? Math.min(1, value / of) : 0;
  return (
    <svg class={`meter ${tone}`} viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect class="meter-whole" width="100" height="6" />
      <rect class="meter-part" width={share * 100} height="6" />
    </svg>
  );
}

/** Days as small columns. */
export function Spark({ values, label }: { values: number[]; label: string }) {
  const most = Math.max(1, ...values);
  return (
    <svg class="spark" viewBox={`0 0 ${Math.max(1, values.length) * 4} 16`} role="img" aria-label={label}>
      {values.map((value, place) => (
        <rect key={place} x={place * 4} width="3" y={16 - Math.max(1, (value / most) * 16)} height={Math.max(1, (value / most) * 16)} />
      ))}
    </svg>
  );
}
