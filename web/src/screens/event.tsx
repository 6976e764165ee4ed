/** One event whole: who, when, what, and the verdict if it is one. */

import { address } from "../api";
import { Head, Loading, Problem, Section, Tag, Time } from "../parts/ui";
import { Foreign, words } from "../parts/words";
import { useGet } from "../resource";
import { link } from "../router";
import type { Brief, EventWhole } from "../types";
import { WORDS as TONES } from "./brief";

const DEEPEST = 5;
const MOST_ROWS = 40;

export function EventPage({ seq }: { seq: number }) {
  const found = useGet<EventWhole>(`/v1/ledger/events/${seq}`);
  const brief = useGet<{ events: Brief[] }>(address("/v1/ledger/events", { last: 1, before: seq + 1, brief: true }));
  const sent = useGet<{ events: Record<string, boolean> }>(address("/v1/team/shared", { after: seq - 1, to: seq })).data?.events[seq];
  if (found.error) return <Problem error={found.error} retry={found.reload} line={`dmm ledger trace ${seq}`} />;
  const event = found.data;
  if (!event || brief.loading) return <Loading />;
  const told = brief.data?.events.find((one) => one.seq === seq);
  const call = callOf(event);
  const holds = <Foreign trust={event.trust}><Value value={event.payload} depth={0} /></Foreign>;
  const judged = /^(Decision|Call|Tool)/.test(event.type) && /Blocked|Committed|Denied|Asked/.test(event.type);
  return (
    <article aria-label={`Event ${seq}`}>
      <Head level={2} title={told ? words(told.line, 300) : <>Event {seq}</>} facts={<>{told && told.tone !== "plain" ? <Tag tone={told.tone}>{TONES[told.tone]}</Tag> : null}<span>{call ? `Tool call, ${call.outcome}` : words(event.type.replace(/(?<=[a-z])(?=[A-Z])/g, " "), 80)}</span><span class="mono quiet">event {seq}</span><Time at={event.at} /></>} line={call ? `dmm rules explain ${seq}` : judged ? `dmm ledger explain ${seq}` : `dmm ledger trace ${seq}`} json={`/v1/ledger/events/${seq}`} />
      {call?.stops.map((one) => (
        <p class="story-why" key={one.id}>
          <code><Marked text={call.text} spans={one.spans} /></code> matched rule <a href={link("rules", one.id)}>{words(one.id, 80)}</a>
        </p>
      ))}
      <dl class="about">
        <div><dt>by</dt><dd>{words(event.actor, 80)} over {words(event.source, 60)}</dd></div>
        <div><dt>trust</dt><dd>{event.trust}</dd></div>
        {sent === undefined ? null : <div><dt>team</dt><dd>{sent ? "sent" : "waits to be sent"}</dd></div>}
        {event.session ? <div><dt>session</dt><dd><a href={link("session", event.session)}>{words(event.session, 80)}</a></dd></div> : null}
        {event.caused_by ? <div><dt>caused by</dt><dd><a href={link("ledger", event.caused_by)}>event {event.caused_by}</a></dd></div> : null}
        {event.references?.length ? <div><dt>refers to</dt><dd>{event.references.map((one) => <><a key={one} href={link("ledger", one)}>{one}</a>{" "}</>)}</dd></div> : null}
      </dl>
      {judged ? <Verdict seq={seq} /> : null}
      {call ? <details><summary>Details</summary>{holds}</details> : <Section title="Details">{holds}</Section>}
      <p class="hash mono quiet" title="hash of the event">{event.hash}</p>
    </article>
  );
}

interface Stop { id: string; spans: [number, number][] }
interface Call { text: string; outcome: string; stops: Stop[] }

const OUTCOMES: Record<string, string> = { allow: "allowed", warn: "warned", ask: "asked", deny: "blocked" };

/** A tool call with the verdict on it; null for any other event. */
function callOf(event: EventWhole): Call | null {
  if (event.type !== "ToolRequested") return null;
  const { text, verdict } = event.payload as { text?: string; verdict?: { status?: string; violations?: { id?: string | number | null; seq?: number; spans?: [number, number][] }[] } };
  const stops = (verdict?.violations ?? []).map((one) => ({ id: String(one.id ?? one.seq ?? ""), spans: one.spans ?? [] }));
  return { text: text ?? "", outcome: OUTCOMES[verdict?.status ?? ""] ?? "not judged", stops: stops.filter((one) => one.id) };
}

/** A text with the places marked that a rule matched; they count whole characters. */
function Marked({ text, spans }: { text: string; spans: [number, number][] }) {
  const characters = Array.from(text);
  const parts = [];
  let last = 0;
  for (const [from, to] of [...spans].sort((a, b) => a[0] - b[0])) {
    if (from < last) continue;
    parts.push(words(characters.slice(last, from).join(""), 600), <mark>{words(characters.slice(from, to).join(""), 600)}</mark>);
    last = to;
  }
  return <>{parts}{words(characters.slice(last).join(""), 600)}</>;
}

interface Explained { recorded?: { status: string; reason?: string; suggestion?: string; trace?: string[] }; agrees?: boolean }

function Verdict({ seq }: { seq: number }) {
  const found = useGet<Explained>(`/v1/ledger/explain/${seq}`);
  const verdict = found.data?.recorded;
  if (!verdict) return null;
  return (
    <Section title="Verdict">
      <p><Tag tone={verdict.status === "BLOCKED" ? "block" : "good"}>{verdict.status}</Tag> {words(verdict.reason, 600)}</p>
      {verdict.suggestion ? <p class="quiet">{words(verdict.suggestion, 400)}</p> : null}
      {verdict.trace?.length ? <ol class="plain-list">{verdict.trace.map((one, place) => <li key={place}>{words(one, 300)}</li>)}</ol> : null}
      <p class="quiet">{found.data?.agrees ? "Replayed now, the verdict is the same." : "Replayed now, the verdict differs."}</p>
    </Section>
  );
}

/** A payload as nested definitions, never as a wall of JSON. */
export function Value({ value, depth }: { value: unknown; depth: number }) {
  if (value === null || value === undefined) return <span class="quiet">none</span>;
  if (typeof value === "string") return <span class="value">{words(value, 6000)}</span>;
  if (typeof value !== "object") return <span class="mono">{String(value)}</span>;
  if (depth > DEEPEST) return <span class="value mono">{words(JSON.stringify(value), 600)}</span>;
  if (Array.isArray(value)) {
    if (value.length === 0) return <span class="quiet">none</span>;
    if (value.every((one) => typeof one !== "object")) return <span class="value">{words(value.slice(0, MOST_ROWS).join(", "), 2000)}</span>;
    return <ul class="values">{value.slice(0, MOST_ROWS).map((one, place) => <li key={place}><Value value={one} depth={depth + 1} /></li>)}{value.length > MOST_ROWS ? <li class="quiet">{value.length - MOST_ROWS} more</li> : null}</ul>;
  }
  return (
    <dl class="about tight">
      {Object.entries(value).slice(0, MOST_ROWS).map(([name, one]) => <div key={name}><dt>{words(name.replaceAll("_", " "), 60)}</dt><dd><Value value={one} depth={depth + 1} /></dd></div>)}
    </dl>
  );
}
