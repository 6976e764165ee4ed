/** Where an event came from, as a chain in words and as a graph. */

import { useEffect, useState } from "preact/hooks";
import { Empty, Head, Loading, Problem, Section } from "../parts/ui";
import { words } from "../parts/words";
import { useGet } from "../resource";
import { link } from "../router";
import type { Placed } from "../graph";
import { loadGraph } from "../lazy";

interface Link { seq: number; type: string; payload: Record<string, unknown> | null; caused_by: number | null; references?: number[] }

const MOST = 60;
const WIDTH = 190;
const HEIGHT = 44;

export function Provenance({ seq }: { seq: number }) {
  const found = useGet<{ chain: Link[] }>(`/v1/ledger/trace/${seq}`);
  if (found.error) return <Problem error={found.error} retry={found.reload} line={`dmm ledger trace ${seq}`} />;
  if (!found.data) return <Loading />;
  const chain = found.data.chain.slice(0, MOST);
  return (
    <article aria-label={`Where event ${seq} came from`}>
      <Head level={2} title={<>Where event <span class="mono">{seq}</span> came from</>} line={`dmm ledger trace ${seq}`} json={`/v1/ledger/trace/${seq}`} />
      {chain.length <= 1 ? <Empty title="Nothing came before it">It was recorded without a cause: a person, a file or the start of something.</Empty> : <Drawing chain={chain} seq={seq} />}
      <Section title="In words" count={chain.length}>
        <ol class="plain-list">
          {chain.map((one) => <li key={one.seq}><a class="seq" href={link("ledger", one.seq)}>{one.seq}</a> <strong>{words(spaced(one.type), 60)}</strong> {words(told(one), 240)}{one.caused_by ? <span class="quiet"> because of {one.caused_by}</span> : null}</li>)}
        </ol>
      </Section>
    </article>
  );
}

const spaced = (type: string): string => type.replace(/(?<=[a-z])(?=[A-Z])/g, " ");

/** The words of a payload that say most. */
function told(one: Link): string {
  const payload = one.payload ?? {};
  for (const name of ["text", "title", "prompt", "command", "path", "key", "reason", "task", "query"]) if (typeof payload[name] === "string") return payload[name];
  return "";
}

function edgesOf(chain: Link[]): [string, string][] {
  const known = new Set(chain.map((one) => one.seq));
  const pairs = chain.flatMap((one) => [one.caused_by, ...(one.references ?? []), ...(Array.isArray(one.payload?.["references"]) ? (one.payload["references"] as number[]) : [])].filter((from): from is number => typeof from === "number" && known.has(from) && from !== one.seq).map((from) => `${from} ${one.seq}`));
  return [...new Set(pairs)].map((pair) => pair.split(" ") as [string, string]);
}

function Drawing({ chain, seq }: { chain: Link[]; seq: number }) {
  const [placed, setPlaced] = useState<Placed | null>(null);
  useEffect(() => {
    let current = true;
    void loadGraph().then(({ place }) => {
      if (current) setPlaced(place(chain.map((one) => ({ id: String(one.seq), width: WIDTH, height: HEIGHT })), edgesOf(chain)));
    });
    return () => {
      current = false;
    };
  }, [chain.map((one) => one.seq).join()]);
  if (!placed) return <Loading what="Drawing" />;
  return (
    <div class="graph" tabIndex={0} role="region" aria-label="Provenance graph; the same in words below">
      <svg width={placed.width} height={placed.height} viewBox={`0 0 ${placed.width} ${placed.height}`} aria-hidden="true">
        {placed.edges.map((one) => <polyline key={`${one.from} ${one.to}`} points={one.points.map((point) => `${point.x},${point.y}`).join(" ")} />)}
        {chain.map((one) => {
          const at = placed.nodes.get(String(one.seq));
          if (!at) return null;
          return (
            <a key={one.seq} href={link("ledger", one.seq, { tab: "from" })} tabindex={-1}>
              <rect class={one.seq === seq ? "on" : ""} x={at.x - WIDTH / 2} y={at.y - HEIGHT / 2} width={WIDTH} height={HEIGHT} rx="6" />
              <text x={at.x - WIDTH / 2 + 10} y={at.y - 4}>{one.seq} {cut(spaced(one.type), 20)}</text>
              <text class="soft" x={at.x - WIDTH / 2 + 10} y={at.y + 12}>{words(cut(told(one), 27))}</text>
            </a>
          );
        })}
      </svg>
    </div>
  );
}

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
