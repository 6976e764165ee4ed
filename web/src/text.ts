/** Words for times, numbers and paths. */

const number = new Intl.NumberFormat("en");
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const dayAndYear = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

export const count = (value: number | null | undefined): string => (value === null || value === undefined ? "–" : number.format(value));

export const plural = (value: number, one: string, many = `${one}s`): string => `${count(value)} ${value === 1 ? one : many}`;

/** The time of day for today, else the date; the whole time belongs in a title. */
export function shortTime(at: string | null | undefined): string {
  if (!at) return "–";
  const then = new Date(at);
  if (Number.isNaN(then.getTime())) return at;
  const now = new Date();
  if (then.toDateString() === now.toDateString()) return clock.format(then);
  return (then.getFullYear() === now.getFullYear() ? day : dayAndYear).format(then);
}

export function fullTime(at: string | null | undefined): string {
  if (!at) return "";
  const then = new Date(at);
  return Number.isNaN(then.getTime()) ? at : `${dayAndYear.format(then)}, ${clock.format(then)}`;
}

const STEPS: [number, string][] = [[86_400, "d"], [3_600, "h"], [60, "m"]];

/** How long ago, in one unit: "12m". */
export function age(at: string | null | undefined): string {
  if (!at) return "–";
  const seconds = Math.max(0, (Date.now() - Date.parse(at)) / 1000);
  for (const [size, unit] of STEPS) if (seconds >= size) return `${Math.floor(seconds / size)}${unit}`;
  return "now";
}

export const score = (value: number | null | undefined): string => (value === null || value === undefined ? "–" : value.toFixed(2));

/** The end of a path, without the ending of its file. */
export const baseName = (path: string): string => (path.split("/").pop() ?? path).replace(/\.md$/, "");

export const folderOf = (path: string): string => path.split("/").slice(0, -1).join("/");

/** Quote a word for a shell, where it needs that. */
export const quote = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** Split a memory file into its front matter and its text. */
export function splitFrontMatter(text: string): [string, string] {
  const found = /^---\n[\s\S]*?\n---\n*/.exec(text);
  return found ? [found[0], text.slice(found[0].length)] : ["", text];
}

/** The seq in an id such as proposal_17. */
export const numberOf = (id: string | number): string => String(id).replace(/^[a-z]+_/, "");
