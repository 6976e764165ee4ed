// Fails if the built page in src/dmm/web/static is not what the sources give, or is too large.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const built = join(here, "..", "src", "dmm", "web", "static");
const fresh = mkdtempSync(join(tmpdir(), "dmm-web-"));
// Kilobytes after gzip: what the first look loads, and each part that is loaded later.
const FIRST = { js: 45, css: 12 };
const LATER = 30;

const faults = [];
try {
  execFileSync(process.execPath, [join(here, "build.mjs"), fresh], { stdio: "inherit" });
  const names = [...new Set([...readdirSync(built), ...readdirSync(fresh)])].sort();
  for (const name of names) {
    if (!readdirSync(built).includes(name)) faults.push(`${name} is not in src/dmm/web/static`);
    else if (!readdirSync(fresh).includes(name)) faults.push(`${name} has no source any more`);
    else if (!readFileSync(join(built, name)).equals(readFileSync(join(fresh, name)))) faults.push(`${name} differs from its sources`);
  }
  const size = (name) => gzipSync(readFileSync(join(fresh, name)), { level: 9 }).length / 1024;
  const js = size("app.js") + size("chunk.js");
  const css = size("app.css");
  console.log(`first look: ${js.toFixed(1)} KB of JavaScript, ${css.toFixed(1)} KB of CSS, gzipped`);
  if (js > FIRST.js) faults.push(`the first look loads ${js.toFixed(1)} KB of JavaScript, the limit is ${FIRST.js}`);
  if (css > FIRST.css) faults.push(`the first look loads ${css.toFixed(1)} KB of CSS, the limit is ${FIRST.css}`);
  for (const name of names.filter((one) => one.endsWith(".js") && one !== "app.js" && one !== "chunk.js")) {
    console.log(`${name}: ${size(name).toFixed(1)} KB`);
    if (size(name) > LATER) faults.push(`${name} has ${size(name).toFixed(1)} KB, the limit is ${LATER}`);
  }
} finally {
  rmSync(fresh, { recursive: true });
}
if (faults.length) {
  console.error([...faults, "Build it with: make web"].join("\n"));
  process.exit(1);
}
