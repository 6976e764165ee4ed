/** One session: what it was asked, given, allowed and refused, and what that cost. */

import { useState } from "preact/hooks";
import { Bar, Empty, Head, Loading, Problem, Section, Tag, Time } from "../parts/ui";
import { words } from "../parts/words";
import { useGet, useNews } from "../resource";
import { link } from "../router";
import { count, plural, quote } from "../text";
import type { SessionEntry, SessionWhole } from "../types";
import { PackReceipt } from "./pack";

const KINDS: Record<SessionEntry["kind"], { tone: string; word: string }> = {
  start: { tone: "plain", word: "start" },
  prompt: { tone: "plain", word: "prompt" },
  pack: { tone: "accent", word: "pack" },
  call: { tone: "plain", word: "call" },
  block: { tone: "block", word: "blocked" },
  ask: { tone: "ask", word: "asks" },
  warn: { tone: "warn", word: "warned" },
  note: { tone: "plain", word: "note" },
  end: { tone: "plain", word: "end" },
};
const STEP = 80;

export function SessionPage({ id }: { id: string }) {
  const address = `/v1/sessions/${encodeURIComponent(id)}`;
  const found = useGet<SessionWhole>(address);
  const [shown, setShown] = useState(STEP);
  useNews(/./, found.reload);
  const line = `dmm ledger session ${quote(id)}`;
  if (found.error) return <><Head level={2} title="Session" line={line} /><Problem error={found.error} retry={found.reload} /></>;
  if (!found.data) return <Loading />;
  const { session, entries, cost } = found.data;
  const newest = [...entries].reverse();
  const spent = (cost?.fixed ?? 0) + (cost?.injected ?? 0);
  return (
    <article aria-label={`Session ${id}`}>
      <p class="back"><a href={link("live")}>All sessions</a></p>
      <Head
        level={2}
        title={<>{words(session.client ?? "Session", 60)} <span class="quiet mono">{words(id, 40)}</span></>}
        facts={<>{session.open ? <Tag tone="good">open</Tag> : <Tag>ended</Tag>}{session.branch ? <span class="mono quiet">{words(session.branch, 60)}</span> : null}</>}
        line={line}
        json={address}
      />
      <dl class="figures">
        <div><dt>prompts</dt><dd>{count(session.prompts)}</dd></div>
        <div><dt>calls</dt><dd>{count(session.calls)}</dd></div>
        <div><dt>blocked</dt><dd class={session.blocked ? "block-text" : ""}>{count(session.blocked)}</dd></div>
        <div><dt>asked</dt><dd>{count(session.asked)}</dd></div>
        <div><dt>packs</dt><dd>{count(session.packs)}</dd></div>
        <div><dt>tokens injected</dt><dd>{count(session.tokens)}</dd></div>
      </dl>
      {cost && cost.items.length ? (
        <details class="fold">
          <summary>What it cost: {count(spent)} tokens</summary>
          <table class="plain">
            <thead><tr><th scope="col">what</th><th scope="col">why</th><th scope="col" class="end">times</th><th scope="col" class="end">tokens</th><th scope="col"><span class="sr">share</span></th></tr></thead>
            <tbody>
              {cost.items.map((one) => (
                <tr key={`${one.what} ${one.why}`}>
                  <td data-label="what">{words(one.what, 120)}</td><td data-label="why" class="quiet">{words(one.why, 160)}</td>
                  <td data-label="times" class="end">{count(one.count)}</td><td data-label="tokens" class="end">{count(one.tokens)}</td>
                  <td class="bar-cell"><Bar value={one.tokens} of={spent} /></td>
                </tr>
              ))}
              {cost.fixed ? (
                <tr>
                  <td data-label="what">tools, instructions and BOOT</td><td data-label="why" class="quiet">in every session</td>
                  <td data-label="times" class="end">1</td><td data-label="tokens" class="end">{count(cost.fixed)}</td>
                  <td class="bar-cell"><Bar value={cost.fixed} of={spent} /></td>
                </tr>
              ) : null}
            </tbody>
          </table>
        </details>
      ) : null}
      <Section title="What happened" count={plural(entries.length, "entry", "entries")}>
        {entries.length === 0 ? <Empty title="Nothing recorded in this session" /> : null}
        <ol class="story" reversed>
          {newest.slice(0, shown).map((one) => <Entry key={`${one.seq}${one.kind}`} entry={one} />)}
        </ol>
        {newest.length > shown ? <button type="button" class="button" onClick={() => setShown(shown + STEP)}>Show {Math.min(STEP, newest.length - shown)} earlier</button> : null}
      </Section>
    </article>
  );
}

function Entry({ entry }: { entry: SessionEntry }) {
  const [open, setOpen] = useState(false);
  const kind = KINDS[entry.kind] ?? KINDS.note;
  // A prompt is shown in its own words; the tag says that it is one.
  const prompt = entry.kind === "prompt" && entry.detail ? entry.detail : null;
  return (
    <li class={`story-entry ${kind.tone}`}>
      <span class="story-time"><Time at={entry.at} /></span>
      <Tag tone={kind.tone}>{kind.word}</Tag>
      <div class="story-what">
        <p class={entry.kind === "call" || entry.kind === "block" || entry.kind === "ask" ? "mono" : ""}>{words(prompt ?? entry.title, 600)}</p>
        {entry.matched || entry.rule !== null ? (
          <p class="story-why">
            {entry.rule !== null ? <>rule <a href={link("rules", entry.rule)}>{words(String(entry.rule), 80)}</a></> : null}
            {entry.matched ? <> matched <mark>{words(entry.matched, 200)}</mark></> : null}
            {" "}<a href={link("ledger", entry.seq)}>explain</a>
          </p>
        ) : null}
        {entry.detail && !prompt && !entry.matched && !entry.title.includes(entry.detail) ? <p class="quiet">{words(entry.detail, 400)}</p> : null}
        {entry.pack !== null ? (
          <>
            <p class="story-why">
              <button type="button" class="link" aria-expanded={open} onClick={() => setOpen(!open)}>{open ? "Hide receipt" : "Why these memories"}</button>
              {" "}<a href={link("pack", entry.pack)}>pack {entry.pack}</a>
            </p>
            {open ? <PackReceipt seq={String(entry.pack)} /> : null}
          </>
        ) : null}
      </div>
      <span class="story-tokens">{entry.tokens ? `${count(entry.tokens)} tok` : ""}</span>
    </li>
  );
}
