// Builds the page into src/dmm/web/static, or into the folder named as the first argument.
// The same sources give the same bytes: no hashes in names, no times, no source maps.
import { build } from "esbuild";
import { cp, mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "..", "src", "dmm", "web", "static");

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
await build({
  absWorkingDir: here,
  entryPoints: ["src/app.tsx", "src/styles/app.css"],
  entryNames: "[name]",
  // What is loaded later keeps its name; what is shared with it is the one file chunk.js.
  chunkNames: "[name]",
  splitting: true,
  outdir: out,
  bundle: true,
  charset: "utf8",
  format: "esm",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  logLevel: "warning",
  minify: true,
  target: "es2022",
});
for (const name of ["index.html", "favicon.svg"]) {
  await cp(join(here, "src", name), join(out, name));
}
