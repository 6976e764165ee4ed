/** The layout of a provenance graph; loaded only when one is drawn. */

import { Graph, layout } from "@dagrejs/dagre";

export interface Placed { width: number; height: number; nodes: Map<string, { x: number; y: number }>; edges: { from: string; to: string; points: { x: number; y: number }[] }[] }

export function place(nodes: { id: string; width: number; height: number }[], edges: [string, string][]): Placed {
  const graph = new Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 14, ranksep: 36, marginx: 4, marginy: 4 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const one of nodes) graph.setNode(one.id, { width: one.width, height: one.height });
  for (const [from, to] of edges) graph.setEdge(from, to);
  layout(graph);
  const size = graph.graph() as { width?: number; height?: number };
  return {
    width: size.width ?? 0,
    height: size.height ?? 0,
    nodes: new Map(nodes.map((one) => {
      const found = graph.node(one.id) as { x: number; y: number };
      return [one.id, { x: found.x, y: found.y }];
    })),
    edges: edges.map(([from, to]) => ({ from, to, points: (graph.edge(from, to) as { points: { x: number; y: number }[] }).points })),
  };
}
