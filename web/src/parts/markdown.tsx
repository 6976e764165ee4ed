/** Markdown as the daemon's tree of nodes; no HTML text exists anywhere. */

import type { ComponentChildren, JSX } from "preact";
import type { Node } from "../types";
import { words } from "./words";

const PLAIN: Record<string, keyof JSX.IntrinsicElements> = {
  p: "p", ul: "ul", ol: "ol", li: "li", quote: "blockquote", em: "em", strong: "strong", s: "s", table: "table", tr: "tr", th: "th", td: "td",
};
const DEEPEST = 40;
// Headings of a memory stand below those of the page.
const LEVELS = ["h4", "h4", "h5", "h6", "h6", "h6", "h6"] as const;

export function Markdown({ nodes }: { nodes: readonly Node[] | undefined }) {
  return <div class="markdown">{build(nodes ?? [], 0)}</div>;
}

function build(nodes: readonly Node[], depth: number): ComponentChildren {
  if (depth > DEEPEST) return "…";
  return nodes.map((node, place) => <One key={place} node={node} depth={depth} />);
}

function One({ node, depth }: { node: Node; depth: number }) {
  const inside = node.c ? build(node.c, depth + 1) : words(node.v);
  const Tag = PLAIN[node.t] as "p" | undefined;
  if (Tag) return <Tag>{inside}</Tag>;
  switch (node.t) {
    case "h": {
      const Heading = LEVELS[node.level ?? 1] ?? "h6";
      return <Heading>{inside}</Heading>;
    }
    case "code":
      return <code>{inside}</code>;
    case "pre":
      return <pre tabIndex={0}><code>{inside}</code></pre>;
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
