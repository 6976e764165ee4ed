/** One memory: its text, the code it cites, how it fared, where it came from. */

import { useState } from "preact/hooks";
import { ApiError, escapePath, request } from "../api";
import { useKeys } from "../keys";
import { Markdown } from "../parts/markdown";
import { Button, Head, Loading, Problem, Section, Spark, Tag, Time } from "../parts/ui";
import { words } from "../parts/words";
import { useGet, useNews } from "../resource";
import { go, link } from "../router";
import { loadDraft, saveDraft, tell } from "../state";
import { count, folderOf } from "../text";
import type { Citation, MemoryWhole, Proposal } from "../types";
import { Editor } from "./editor";

const STATES = { fresh: "good", moved: "warn", changed: "warn", gone: "block" };

export function MemoryPage({ path }: { path: string }) {
  const address = `/v1/memories/${escapePath(path)}`;
  const found = useGet<MemoryWhole>(address);
  useNews(/^(Memory|Proposal|Write)/, found.reload);
  const draft = `memory.${path}`;
  const [editing, setEditing] = useState(() => loadDraft(draft) !== null);
  const [raw, setRaw] = useState(false);
  useKeys("This memory", [
    { key: "e", label: "Propose a change", run: () => setEditing(true), when: !editing },
    { key: "h", label: "History", run: () => jump("section-history") },
    { key: "w", label: "Which packs", run: () => jump("section-packs-it-was-in") },
  ]);
  if (found.error) return <><Head level={2} title={<span class="mono">{words(path)}</span>} line={`cat .dmm/memory/${path}`} /><Problem error={found.error} retry={found.reload} /></>;
  const memory = found.data;
  if (!memory) return <Loading />;
  const { usage } = memory;
  return (
    <article aria-label={memory.title}>
      <p class="back"><a href={link("memory", folderOf(path))}>{words(folderOf(path))}</a></p>
      <Head
        level={2}
        title={words(memory.title || path, 300)}
        facts={memory.status === "active" ? null : <Tag tone="warn">{memory.status}</Tag>}
        actions={editing ? null : <Button hint="e" onClick={() => setEditing(true)}>Propose a change</Button>}
        line={`cat .dmm/memory/${path}`}
        json={address}
      />
      <dl class="figures">
        <div><dt>tokens</dt><dd>{count(memory.tokens)}</dd></div>
        <div><dt>served</dt><dd>{count(usage.served)}</dd></div>
        <div><dt>helped</dt><dd>{count(usage.helped)}</dd></div>
        <div><dt>wrong</dt><dd class={usage.wrong ? "block-text" : ""}>{count(usage.wrong)}</dd></div>
        <div><dt>outdated</dt><dd>{count(usage.outdated)}</dd></div>
        {usage.days.length ? <div><dt>served by day</dt><dd><Spark values={usage.days.map((one) => one.count)} label={`served by day, ${usage.days.length} days`} /></dd></div> : null}
      </dl>
      {memory.conflicts.map((one) => (
        <p class="hint" key={one.id}><Tag tone="block">{one.sure ? "conflict" : "possible conflict"}</Tag> <a href={link("conflicts", one.id)}>{words(one.title, 200)}</a></p>
      ))}
      {editing ? <Edit memory={memory} draft={draft} onDone={() => setEditing(false)} /> : null}
      {memory.citations.length ? (
        <Section title="Cited code" count={memory.citations.length}>{memory.citations.map((one, place) => <Cited key={place} citation={one} />)}</Section>
      ) : null}
      <Section title="Text">
        <div class="segments" role="group" aria-label="How the text is shown">
          <button type="button" aria-pressed={!raw} onClick={() => setRaw(false)}>As it reads</button>
          <button type="button" aria-pressed={raw} onClick={() => setRaw(true)}>File</button>
        </div>
        {raw ? <pre class="code" tabIndex={0}>{words(memory.text)}</pre> : <Markdown nodes={memory.body} under={memory.title} />}
      </Section>
      <Section title="About">
        <dl class="about">
          <div><dt>file</dt><dd class="mono">{words(path)}</dd></div>
          <div><dt>scope</dt><dd>{memory.scope}</dd></div>
          <div><dt>priority</dt><dd>{memory.priority ?? "–"}</dd></div>
          <div><dt>tags</dt><dd class="parts">{memory.tags.length ? memory.tags.map((one) => <Tag key={one}>{words(one, 60)}</Tag>) : "none"}</dd></div>
          {memory.paths.length ? <div><dt>applies to</dt><dd class="mono">{words(memory.paths.join(", "), 400)}</dd></div> : null}
          <div><dt>id</dt><dd class="mono">{words(memory.id)}</dd></div>
          <div><dt>created</dt><dd>{memory.created ?? "–"}</dd></div>
          <div><dt>updated</dt><dd><Time at={memory.updated} /></dd></div>
        </dl>
      </Section>
      <Section title="History" count={memory.history.length}>
        {memory.history.length === 0 ? <p class="quiet">No event about it: the file was written by hand or came with the repository.</p> : null}
        <ul class="plain-list">
          {memory.history.map((one) => (
            <li key={one.seq}><a class="seq" href={link("ledger", one.seq)}>{one.seq}</a> <Time at={one.at} /> {words(one.what, 200)} by {words(one.actor, 60)}{one.proposal ? <>, <a href={link("review", String(one.proposal).startsWith("p") ? one.proposal : `proposal_${one.proposal}`)}>proposal</a></> : null}</li>
          ))}
        </ul>
      </Section>
      <Section title="Packs it was in" count={memory.packs.length}>
        {memory.packs.length === 0 ? <p class="quiet">None so far.</p> : null}
        <ul class="plain-list">
          {memory.packs.map((one) => <li key={one.seq}><a class="seq" href={link("pack", one.seq)}>{one.seq}</a> <Time at={one.at} /> {words(one.task, 200)}</li>)}
        </ul>
      </Section>
    </article>
  );
}

function jump(id: string): void {
  document.getElementById(id)?.scrollIntoView({ block: "start" });
}

function Cited({ citation }: { citation: Citation }) {
  const place = citation.lines ? `${citation.path}:${citation.lines[0]}-${citation.lines[1]}` : citation.path;
  return (
    <figure class="cited">
      <figcaption><span class="mono">{words(place, 200)}</span>{citation.symbol ? <span class="quiet mono">{words(citation.symbol, 80)}</span> : null}<Tag tone={STATES[citation.state]}>{citation.state}</Tag></figcaption>
      {citation.code.length ? (
        <pre class="code" tabIndex={0}>{citation.code.slice(0, 60).map((one) => <span key={one.line} class="code-line"><span class="code-number">{one.line}</span>{words(one.text, 400)}{"\n"}</span>)}</pre>
      ) : <p class="quiet">{citation.state === "gone" ? "The file or the symbol is not there any more." : "No lines to show."}</p>}
    </figure>
  );
}

function Edit({ memory, draft, onDone }: { memory: MemoryWhole; draft: string; onDone: () => void }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const send = async (content: string): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      const made = await request<Proposal>("/v1/proposals", { body: { path: memory.path, content, operation: "update", reason: "changed in the page", base: memory.digest } });
      saveDraft(draft, null);
      tell(`${made.id} made`);
      onDone();
      go(link("review", made.id));
    } catch (problem) {
      if (problem instanceof ApiError) setError(problem);
    } finally {
      setBusy(false);
    }
  };
  return (
    <section class="edit" aria-label="Propose a change">
      <Editor draft={draft} path={memory.path} text={memory.text} operation="update" label={`New text of ${memory.path}`} save="Propose this text" busy={busy} onSave={(text) => void send(text)} onCancel={() => { saveDraft(draft, null); onDone(); }} />
      {error ? <Problem error={error} /> : null}
    </section>
  );
}
