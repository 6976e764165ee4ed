/** Recall in three layers: rows to choose from, what stood around one, the whole. */

import { address } from "../api";
import { Empty, Loading, Problem, Section, Tag, Time } from "../parts/ui";
import { Foreign, words } from "../parts/words";
import { useGet } from "../resource";
import { link } from "../router";
import { count } from "../text";
import type { RecallRow } from "../types";

interface Rows { results: RecallRow[]; retrieval?: string; hint?: string; anchor?: string }

export function Recall({ query, id }: { query: string; id: string | null }) {
  const found = useGet<Rows>(address("/v1/search", { query, limit: 20 }));
  return (
    <div class={id ? "recall two" : "recall"}>
      <Section title="1. What was found" count={found.data?.results.length}>
        {found.error ? <Problem error={found.error} retry={found.reload} line="dmm search" /> : null}
        {found.loading ? <Loading what="Searching" slow="The first search of a ledger reads all its sessions, which takes some seconds; the next ones do not." /> : null}
        {found.data && found.data.results.length === 0 ? <Empty title="No session said anything about it" line="dmm import-sessions">{found.data.hint ?? "Earlier sessions of Claude Code and Codex can be recorded."}</Empty> : null}
        <RowList rows={found.data?.results ?? []} query={query} chosen={id} />
      </Section>
      {id ? (
        <div>
          <Around id={id} query={query} />
          <Whole id={id} />
        </div>
      ) : null}
    </div>
  );
}

function RowList({ rows, query, chosen }: { rows: RecallRow[]; query: string; chosen: string | null }) {
  return (
    <ul class="recall-rows">
      {rows.map((one) => (
        <li key={one.id}>
          <a class="row" href={link("ask", "", { recall: query || one.id, id: one.id })} aria-current={one.id === chosen ? "true" : undefined}>
            <span class="row-main"><span class="cut">{words(one.title, 200)}</span><span class="row-end">{count(one.tokens)} tok</span></span>
            <span class="row-sub"><Tag>{one.kind}</Tag><Time at={one.at} /><span class="mono">{one.id}</span>{one.low_trust ? <Tag tone="warn">words of a {one.low_trust.replace("_", " ")}</Tag> : null}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

function Around({ id, query }: { id: string; query: string }) {
  const found = useGet<Rows>(address("/v1/timeline", { id, before: 3, after: 3 }));
  return (
    <Section title="2. Context">
      {found.error ? <Problem error={found.error} retry={found.reload} line={`dmm timeline ${id}`} /> : null}
      {found.data ? <RowList rows={found.data.results} query={query} chosen={id} /> : found.error ? null : <Loading />}
    </Section>
  );
}

interface Observation extends RecallRow { text?: string; body?: string; [name: string]: unknown }

function Whole({ id }: { id: string }) {
  const found = useGet<{ observations: Observation[]; missing?: string[] }>(address("/v1/observations", { ids: id }));
  const one = found.data?.observations[0];
  return (
    <Section title="3. Full text">
      {found.error ? <Problem error={found.error} retry={found.reload} line={`dmm get ${id}`} /> : null}
      {one ? (
        <Foreign trust={one.low_trust}>
          <p><strong>{words(one.title, 300)}</strong></p>
          <pre class="code wrap" tabIndex={0}>{words(one.text ?? one.body ?? JSON.stringify(one, null, 1), 12_000)}</pre>
          <p class="quiet">{one.session ? <>session <a href={link("session", one.session)}>{words(one.session, 60)}</a> · </> : null}sources {one.sources.map((seq) => <><a key={seq} href={link("ledger", seq)}>{seq}</a> </>)}{one.files?.length ? <>· {words(one.files.join(", "), 300)}</> : null}</p>
        </Foreign>
      ) : found.data ? <p class="quiet">Nothing has this id any more.</p> : found.error ? null : <Loading />}
    </Section>
  );
}
