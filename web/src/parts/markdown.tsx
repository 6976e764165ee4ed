/** Markdown as the daemon's tree of nodes; no HTML text exists anywhere. */

import type { ComponentChildren, JSX } from "preact";
import type { Node } from "../types";
import { words } from "./words";

const PLAIN: Record<string, keyof JSX.IntrinsicElements> = {
  p: "p", ul: "ul", li: "li", quote: "blockquote", em: "em", strong: "strong", s: "s", table: "table", tr: "tr", th: "th", td: "td",
};
const DEEPEST = 40;
const MOST_NODES = 800;
// Headings of a memory stand below those of the page.
const LEVELS = ["h4", "h4", "h5", "h6", "h6", "h6", "h6"] as const;

/** `under` is a heading that stands above already: the text does not begin with it once more. */
export function Markdown({ nodes = [], under }: { nodes: readonly Node[] | undefined; under?: string }) {
  const [first, ...rest] = nodes;
  const said = Boolean(under) && first?.t === "h" && plain(first) === under;
  const left = { nodes: MOST_NODES, up: said ? 1 : 0 };
  const shown = build(said ? rest : nodes, 0, left);
  return <div class="markdown">{shown}{left.nodes < 0 ? <p class="quiet">… The rest is in the file.</p> : null}</div>;
}

/** How many nodes may still be shown, and by how much headings move up. */
interface Left { nodes: number; up: number }

const plain = (node: Node): string => (node.c ? node.c.map(plain).join("") : (node.v ?? ""));

function build(nodes: readonly Node[], depth: number, left: Left): ComponentChildren {
  if (depth > DEEPEST) return "…";
  const shown: ComponentChildren[] = [];
  for (const node of nodes) {
    left.nodes -= 1;
    if (left.nodes < 0) break;
    shown.push(one(node, depth, left));
  }
  return shown;
}

function one(node: Node, depth: number, left: Left): ComponentChildren {
  const inside = node.c ? build(node.c, depth + 1, left) : words(node.v);
  const Tag = PLAIN[node.t] as "p" | undefined;
  if (node.t === "ol") return <ol start={node.level}>{inside}</ol>;
  if (Tag) return <Tag>{inside}</Tag>;
  switch (node.t) {
    case "h": {
      const Heading = LEVELS[(node.level ?? 1) - left.up] ?? "h6";
      return <Heading>{inside}</Heading>;
    }
    case "code":
      return <code>{inside}</code>;
    case "pre":
      // Everything behind the fence is shown: it may say more than a language.
      return <>{node.lang ? <p class="quiet mono">{words(node.lang)}</p> : null}<pre tabIndex={0}><code>{inside}</code></pre></>;
    case "a":
      return node.href && /^https?:\/\//i.test(node.href) ? (
        <a href={node.href} target="_blank" rel="noreferrer noopener nofollow" title={node.href}>{inside}</a>
      ) : (
        <span>{inside}</span>
      );
    case "img":
      return <span class="quiet">[image: {words(node.v ?? node.href ?? "")}]</span>;
    case "br":
      return <br />;
    case "hr":
      return <hr />;
    default:
      return <>{inside}</>;
  }
}
