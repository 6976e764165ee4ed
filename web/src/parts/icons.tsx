/** Line icons on a grid of 16; they only accompany words. */

const PATHS: Record<string, string> = {
  live: "M1.5 8h3l2-5 3 10 2-5h3",
  review: "M3 2.5h10v11H3zM5.5 8l2 2 3.5-4",
  memory: "M2.5 3.5h4l1.5 2h5.5v7h-11z",
  ledger: "M3 13.5v-4M6.3 13.5v-8M9.7 13.5v-6M13 13.5V2.5",
  rules: "M8 1.8l5 2v4c0 3-2 5-5 6.4-3-1.4-5-3.4-5-6.4v-4z",
  conflicts: "M5 2.5L2 5.5l3 3M2 5.5h9M11 7.5l3 3-3 3M14 10.5H5",
  ask: "M2.5 3h11v8h-6l-3 2.5V11h-2z",
  health: "M8 13.5S2 10 2 5.9A3.1 3.1 0 0 1 8 4.7a3.1 3.1 0 0 1 6 1.2C14 10 8 13.5 8 13.5z",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.3l3.2 3.2",
  chevron: "M4.5 6.5L8 10l3.5-3.5",
  back: "M9.5 3.5L5 8l4.5 4.5",
};

export function Icon({ name }: { name: string }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.4" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
      <path d={PATHS[name] ?? ""} />
    </svg>
  );
}
