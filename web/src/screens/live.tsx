/** Live: what agents are given and what is stopped, while it happens and later. */

import { useEffect, useRef, useState } from "preact/hooks";
import { address } from "../api";
import { useKeys } from "../keys";
import { List } from "../parts/list";
import { Button, Empty, Head, Loading, Problem, Tag } from "../parts/ui";
import { words } from "../parts/words";
import { useGet, useNews } from "../resource";
import { go, link, type Route } from "../router";
import { news } from "../state";
import { age, count, plural } from "../text";
import type { Brief, Session } from "../types";
import { PackPage } from "./pack";
import { SessionPage } from "./session";
import { BriefRow } from "./brief";

export function Live({ route }: { route: Route }) {
  const found = useGet<{ sessions: Session[] }>(address("/v1/sessions", { limit: 50 }));
  useNews(/^(Session|Prompt|Pack|Tool|Hook|Call)/, found.reload);
  const sessions = found.data?.sessions ?? [];
  const chosen = route.screen === "session" ? route.rest : "";
  const move = (by: number): void => {
    const place = sessions.findIndex((one) => one.id === chosen) + by;
    if (place < 0) go(link("live"));
    else if (sessions[place]) go(link("session", sessions[place].id));
  };
  useKeys("Live", [
    { key: "j", label: "Next session", run: () => move(1) },
    { key: "k", label: "Previous session", run: () => move(-1) },
  ]);
  const inside = route.screen !== "live";
  return (
    <div class={`split ${inside ? "inside" : ""}`}>
      <section class="side" aria-label="Sessions">
        <Head title="Live" facts={sessions.length ? plural(sessions.filter((one) => one.open).length, "open session") : null} line="dmm ledger session" json="/v1/sessions?limit=50" />
        {found.error ? <Problem error={found.error} retry={found.reload} line="dmm ledger session" /> : null}
        {found.loading ? <Loading /> : null}
        <nav class="rows" aria-label="Sessions">
          <a class="row" href={link("live")} aria-current={route.screen === "live" ? "true" : undefined}>
            <span class="row-main">Everything</span>
            <span class="row-sub">What happens in all sessions of the project</span>
          </a>
          {sessions.map((one) => <SessionRow key={one.id} session={one} chosen={one.id === chosen} />)}
        </nav>
      </section>
      <div class="detail">
        {route.screen === "pack" ? <PackPage seq={route.rest} /> : chosen ? <SessionPage key={chosen} id={chosen} /> : <Feed empty={found.data?.sessions.length === 0} />}
      </div>
    </div>
  );
}

function SessionRow({ session, chosen }: { session: Session; chosen: boolean }) {
  return (
    <a class="row" href={link("session", session.id)} aria-current={chosen ? "true" : undefined}>
      <span class="row-main">
        <span class={`dot ${session.open ? "on" : ""}`} aria-hidden="true" />
        <span class="sr">{session.open ? "open: " : "ended: "}</span>
        {words(session.client ?? "unknown client", 60)}
        {session.branch ? <span class="quiet mono"> {words(session.branch, 60)}</span> : null}
        <span class="row-end">{age(session.last)}</span>
      </span>
      <span class="row-sub">
        {plural(session.prompts, "prompt")} · {plural(session.packs, "pack")} · {count(session.tokens)} tok
        {session.blocked ? <Tag tone="block">{session.blocked} blocked</Tag> : null}
        {session.asked ? <Tag tone="ask">{session.asked} asked</Tag> : null}
      </span>
    </a>
  );
}

const ROW = 36;

const RUNS = new Set(["ToolUsed", "ToolFailed"]);

/** Leave out calls that were allowed and whose session has run one since: the run has its own line. */
function withoutAllowed(events: Brief[]): Brief[] {
  const ran = new Map<string | null, number>();
  for (const one of events) if (RUNS.has(one.type)) ran.set(one.session, Math.max(one.seq, ran.get(one.session) ?? 0));
  return events.filter((one) => one.type !== "ToolRequested" || one.tone !== "plain" || one.seq > (ran.get(one.session) ?? 0));
}

/** What happened, one line each, the newest first. */
function Feed({ empty }: { empty: boolean }) {
  const [paused, setPaused] = useState<Brief[] | null>(null);
  const [older, setOlder] = useState<Brief[]>([]);
  const [end, setEnd] = useState<number | null>(null);
  const first = useGet<{ head: number; events: Brief[] }>(address("/v1/ledger/events", { last: 100, brief: true }));
  const before = useGet<{ head: number; events: Brief[] }>(end === null ? null : address("/v1/ledger/events", { last: 100, brief: true, before: end }));
  const asked = useRef<number | null>(null);
  useEffect(() => {
    const found = before.data?.events;
    if (found && asked.current === end) setOlder((known) => [...known, ...[...found].reverse().filter((one) => one.seq < (known.at(-1)?.seq ?? Infinity))]);
  }, [before.data]);

  const base = [...(first.data?.events ?? [])].reverse();
  const top = base[0]?.seq ?? 0;
  const fresh = news.value.filter((one) => one.seq > top).reverse();
  const all = paused ?? [...fresh, ...base, ...older.filter((one) => one.seq < (base.at(-1)?.seq ?? 0))];
  const shown = withoutAllowed(all);
  const pause = (): void => setPaused(paused ? null : all);
  useKeys("Everything", [{ key: " ", label: paused ? "Go on" : "Pause", run: pause }]);
  const more = (): void => {
    const last = all.at(-1)?.seq;
    if (paused || last === undefined || last <= 1 || asked.current === last) return;
    asked.current = last;
    setEnd(last);
  };
  const missed = paused ? withoutAllowed(news.value).filter((one) => one.seq > (paused[0]?.seq ?? 0)).length : 0;
  return (
    <>
      <Head
        level={2}
        title="Everything"
        facts={paused ? <Tag tone="warn">paused{missed ? `, ${missed} new` : ""}</Tag> : <span class="quiet"><span class="dot on" aria-hidden="true" /> live</span>}
        actions={<Button onClick={pause} hint="Space">{paused ? "Go on" : "Pause"}</Button>}
        line="dmm ledger log --last 100"
        json="/v1/ledger/events?last=100&brief=true"
      />
      {first.error ? <Problem error={first.error} retry={first.reload} /> : null}
      {first.loading ? <Loading /> : null}
      {first.data && all.length === 0 ? (
        <Empty title="No event yet" line="dmm install">Connect your agents. What they are given and what they do then appears here.</Empty>
      ) : null}
      {first.data && empty && all.length > 0 ? <p class="hint">No agent yet. Connect one: <code>dmm install</code></p> : null}
      {shown.length > 0 ? <List label="Events, newest first" items={shown} height={ROW} keyOf={(one) => one.seq} row={(one) => <BriefRow event={one} />} follow={!paused} onEnd={more} /> : null}
      <p class="sr" role="status">{fresh[0] && fresh[0].tone !== "plain" ? fresh[0].line : ""}</p>
    </>
  );
}

