/** Ledger: time as a slider, what was known at any event, comparisons, what if, where from. */

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { address } from "../api";
import { useKeys } from "../keys";
import { List } from "../parts/list";
import { Empty, Head, Loading, Problem, Tag } from "../parts/ui";
import { useGet } from "../resource";
import { go, link, type Route } from "../router";
import { head } from "../state";
import { count, fullTime } from "../text";
import type { Brief } from "../types";
import { BriefRow } from "./brief";
import { EventPage } from "./event";
import { Compare, StateThen } from "./flashback";
import { Provenance } from "./provenance";
import { WhatIf } from "./whatif";

interface Bucket { from_seq: number; to_seq: number; from: string; to: string; count: number; blocked: number }
interface Histogram { head: number; buckets: Bucket[] }

const TABS = [["event", "Event"], ["state", "State"], ["compare", "Compare"], ["whatif", "What if"], ["from", "Origin"]] as const;
type Tab = (typeof TABS)[number][0];
const ROW = 36;
const PAGE = 100;
/** Where to read from before anybody knows how long the ledger is. */
const NEWEST = Infinity;

export function Ledger({ route }: { route: Route }) {
  const told = useGet<Histogram>(address("/v1/ledger/histogram", { buckets: 120 }));
  const end = Math.max(head.value, told.data?.head ?? 0);
  const seq = /^\d+$/.test(route.rest) ? Number(route.rest) : 0;
  const tab = (TABS.find(([name]) => name === route.parameters.get("tab"))?.[0] ?? "event") as Tab;
  const other = Number(route.parameters.get("b")) || end;
  const show = (to: number, as: Tab = tab, b?: number): void =>
    go(link("ledger", Math.max(1, Math.min(end || to, to)), { tab: as === "event" ? null : as, b: as === "compare" ? (b ?? other) : null }));
  useKeys("Ledger", [
    { key: "j", label: "Earlier event", run: () => show((seq || end + 1) - 1) },
    { key: "k", label: "Later event", run: () => show(seq + 1), when: seq > 0 },
    { key: "t", label: "State", run: () => show(seq || end, "state") },
    { key: "d", label: "Compare with now", run: () => show(seq || end, "compare") },
    { key: "w", label: "What if", run: () => show(seq || end, "whatif") },
    { key: "o", label: "Origin", run: () => show(seq || end, "from") },
  ]);
  return (
    <div class={`ledger ${seq ? "inside" : ""}`}>
      <div class="ledger-top">
        <Head title="Ledger" facts={end ? <>{count(end)} events{seq && seq < end ? <Tag tone="warn" sign={false}>looking back at {count(seq)}</Tag> : null}</> : null} line={seq ? undefined : "dmm ledger log"} json="/v1/ledger/events" />
        {told.error ? <Problem error={told.error} retry={told.reload} line="dmm ledger log" /> : null}
        {told.data && end ? <Slider histogram={told.data} end={end} seq={seq || end} onMove={(to) => show(to)} /> : null}
      </div>
      {told.data && end === 0 ? <Empty title="Nothing recorded yet" line={'dmm ledger fact region eu-west-1'}>The ledger is the append-only record of the project. Its first event comes with the first fact, rule, session or proposal.</Empty> : null}
      <div class={`split ${seq ? "inside" : ""}`}>
        <section class="side fixed" aria-label="Events"><Events seq={seq} end={end} /></section>
        <div class={`detail ${seq ? "" : "later"}`}>
          {seq ? (
            <>
              <p class="back"><a href={link("ledger")}>All events</a></p>
              <nav class="tabs" aria-label="Views of this event">
                {TABS.map(([name, title]) => <a key={name} href={link("ledger", seq, { tab: name === "event" ? null : name, b: name === "compare" ? other : null })} aria-current={tab === name ? "page" : undefined}>{title}</a>)}
              </nav>
              <View tab={tab} seq={seq} end={end} other={other} />
            </>
          ) : (
            <Empty title="Choose an event">Drag the slider, choose a row, or type a number after Ctrl K. You then see the event whole, what was known at that moment, what changed until another one, what a rule would have changed, and where it came from.</Empty>
          )}
        </div>
      </div>
    </div>
  );
}

function View({ tab, seq, end, other }: { tab: Tab; seq: number; end: number; other: number }): ComponentChildren {
  switch (tab) {
    case "state": return <StateThen seq={seq} />;
    case "compare": return <Compare a={Math.min(seq, other)} b={Math.max(seq, other)} end={end} />;
    case "whatif": return <WhatIf seq={seq} />;
    case "from": return <Provenance seq={seq} />;
    default: return <EventPage seq={seq} />;
  }
}

const FINE = 100;

/** Where an event stands on the line of time, in hundredths of a bucket. */
function placeOf(buckets: Bucket[], seq: number): number {
  const number = buckets.findIndex((one) => one.count > 0 && seq <= one.to_seq);
  const bucket = buckets[number];
  if (!bucket) return buckets.length * FINE;
  return Math.round((number + Math.max(0, seq - bucket.from_seq + 0.5) / bucket.count) * FINE);
}

/** The event that was the newest at a place on the line of time. */
function eventAt(buckets: Bucket[], place: number): number {
  const number = Math.min(buckets.length - 1, Math.floor(place / FINE));
  const bucket = buckets[number];
  if (bucket?.count) return Math.min(bucket.to_seq, bucket.from_seq + Math.floor((place / FINE - number) * bucket.count));
  return Math.max(1, ...buckets.slice(0, number + 1).map((one) => one.to_seq));
}

const STEPS: Record<string, number> = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -100, PageUp: 100 };

function Slider({ histogram, end, seq, onMove }: { histogram: Histogram; end: number; seq: number; onMove: (seq: number) => void }) {
  const [at, setAt] = useState(seq);
  const last = useRef(seq);
  // Before the next key: a held one comes again before the page is drawn anew.
  useLayoutEffect(() => {
    last.current = seq;
    setAt(seq);
  }, [seq]);
  const { buckets } = histogram;
  const most = Math.max(1, ...buckets.map((one) => one.count));
  const place = placeOf(buckets, at);
  const bucket = buckets.find((one) => one.count > 0 && one.from_seq <= at && at <= one.to_seq);
  const when = fullTime(bucket?.from ?? buckets.at(-1)?.to);
  const onKey = (event: KeyboardEvent): void => {
    const by = STEPS[event.key];
    if (!by) return;
    event.preventDefault();
    last.current = Math.max(1, Math.min(end, last.current + by));
    onMove(last.current);
  };
  return (
    <div class="slider">
      <svg viewBox={`0 0 ${Math.max(1, buckets.length)} 40`} preserveAspectRatio="none" aria-hidden="true">
        {buckets.map((one, number) => {
          const height = one.count ? Math.max(1.5, (one.count / most) * 38) : 0;
          return (
            <g key={number} onClick={() => onMove(eventAt(buckets, (number + 1) * FINE - 1))}>
              <rect class="hit" x={number} width="1" y="0" height="40" />
              <rect class={one === bucket ? "column on" : "column"} x={number + 0.08} width="0.84" y={40 - height} height={height} />
              {one.blocked ? <rect class="column blocked" x={number + 0.08} width="0.84" y={40 - Math.max(2, (one.blocked / most) * 38)} height={Math.max(2, (one.blocked / most) * 38)} /> : null}
            </g>
          );
        })}
        <line class="cursor" x1={place / FINE} x2={place / FINE} y1="0" y2="40" />
      </svg>
      <input type="range" min={0} max={buckets.length * FINE} value={place} aria-label="Time" aria-valuetext={`event ${at}, ${when}`} onKeyDown={onKey} onInput={(event) => setAt(eventAt(buckets, Number(event.currentTarget.value)))} onChange={(event) => onMove(eventAt(buckets, Number(event.currentTarget.value)))} />
      <div class="slider-legend">
        <span>{fullTime(buckets[0]?.from)}</span>
        <label>event <input type="number" min={1} max={end} value={at} aria-label="Event number" onChange={(event) => onMove(Number(event.currentTarget.value))} /> <span>{when}</span></label>
        <span>now</span>
      </div>
    </div>
  );
}

/** Events around one, or the newest; read in pages while scrolling. */
function Events({ seq, end }: { seq: number; end: number }) {
  const [top, setTop] = useState(0);
  const [rows, setRows] = useState<Brief[]>([]);
  const [before, setBefore] = useState<number | null>(null);
  const inside = rows.length > 0 && seq <= (rows[0]?.seq ?? 0) && seq >= (rows.at(-1)?.seq ?? 0);
  useEffect(() => {
    if (seq && inside) return;
    const start = seq ? Math.min(end || NEWEST, seq + PAGE / 2) : end || NEWEST;
    if (start === top && rows.length) return;
    // The newest are on their way, or there: their number is news, they are not.
    if (!seq && top === NEWEST && (rows[0]?.seq ?? NEWEST) >= start) return;
    setTop(start);
    setRows([]);
    setBefore(start + 1);
  }, [seq, end]);
  const found = useGet<{ events: Brief[] }>(before === null ? null : address("/v1/ledger/events", { last: PAGE, brief: true, before: before === NEWEST ? null : before }));
  useEffect(() => {
    const next = found.data?.events;
    if (!next || before === null || (next.at(-1)?.seq ?? 0) >= before) return;
    setRows((known) => (known.length && (known.at(-1)?.seq ?? 0) <= (next.at(-1)?.seq ?? 0) ? known : [...known, ...[...next].reverse()]));
  }, [found.data, before]);
  const shared = useGet<{ events: Record<string, boolean> }>(rows.length ? address("/v1/team/shared", { after: (rows.at(-1)?.seq ?? 1) - 1, to: rows[0]?.seq }) : null).data?.events;
  if (found.error) return <Problem error={found.error} retry={found.reload} line="dmm ledger log" />;
  if (rows.length === 0) return found.data && !end ? null : <Loading />;
  return (
    <List
      label="Events, newest first"
      items={rows}
      height={ROW}
      keyOf={(one) => one.seq}
      selected={rows.findIndex((one) => one.seq === seq)}
      row={(one) => <BriefRow event={{ ...one, ref: null }} chosen={one.seq === seq} sent={shared?.[one.seq]} />}
      onEnd={() => {
        const last = rows.at(-1)?.seq ?? 0;
        if (last > 1 && last !== before) setBefore(last);
      }}
    />
  );
}
