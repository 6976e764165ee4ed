/** Plots over days; loaded only where one is shown. */

import uPlot from "uplot";

export interface Line { label: string; values: (number | null)[]; tone: "accent" | "column" | "soft" | "block" | "warn" | "good"; columns?: boolean }

const MONTH_DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

// A column stands in the middle of its day.
const HALF_DAY = 43_200;

export interface Drawn { destroy: () => void }

/** The colours that the style sheet gives, in light or dark. */
function colours(place: HTMLElement): (name: string) => string {
  const probe = document.createElement("span");
  place.append(probe);
  const found: Record<string, string> = {};
  for (const name of ["accent", "soft", "block", "warn", "good", "line", "column"]) {
    probe.className = `ink-${name}`;
    found[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  return (name) => found[name] ?? "gray";
}

/** Draw columns or lines over days into an element, as wide as it is. */
export function draw(place: HTMLElement, days: string[], lines: Line[], height: number): Drawn {
  const ink = colours(place);
  const times = days.map((day) => Date.parse(`${day}T00:00:00Z`) / 1000);
  const axis = { stroke: ink("soft"), grid: { stroke: ink("line"), width: 1 }, ticks: { show: false }, font: "11px system-ui" };
  const plot = new uPlot(
    {
      width: Math.max(200, place.clientWidth),
      height,
      cursor: { y: false, points: { size: 6 } },
      legend: { show: false },
      scales: { x: { time: true, range: (_plot: uPlot, low: number, high: number) => [low - HALF_DAY, high + HALF_DAY] }, y: { range: (_plot: uPlot, _low: number, high: number) => [0, Math.max(1, high * 1.05)] } },
      axes: [{ ...axis, grid: { show: false }, values: (_plot: uPlot, ticks: number[]) => ticks.map((one) => MONTH_DAY.format(new Date(one * 1000))) }, { ...axis, size: 54, values: (_plot: uPlot, ticks: number[]) => ticks.map((one) => new Intl.NumberFormat("en", { notation: "compact" }).format(one)) }],
      series: [
        { label: "day", value: (_plot: uPlot, at: number | null) => (at ? new Date(at * 1000).toISOString().slice(0, 10) : "–") },
        ...lines.map((one) => ({ label: one.label, stroke: ink(one.tone), width: one.columns ? 0 : 1.5, points: one.columns ? { show: false } : { size: 5, filter: () => one.values.flatMap((value, day) => (value ? [day] : [])) }, fill: one.columns ? ink(one.tone) : undefined, paths: one.columns ? uPlot.paths.bars?.({ size: [0.7, 24] }) : undefined })),
      ],
    },
    [times, ...lines.map((one) => one.values)] as uPlot.AlignedData,
    place,
  );
  const observer = new ResizeObserver(() => plot.setSize({ width: Math.max(200, place.clientWidth), height }));
  observer.observe(place);
  return {
    destroy: () => {
      observer.disconnect();
      plot.destroy();
    },
  };
}
