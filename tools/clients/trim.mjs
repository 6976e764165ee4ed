// Keeps a lock file to what it is for: no addresses, and no package that was not resolved.
import { readFileSync, writeFileSync } from "node:fs"

const [path] = process.argv.slice(2)
const lock = JSON.parse(readFileSync(path, "utf8"))
const resolved = (name) =>
  Object.keys(lock.packages).some((key) => key.endsWith(`node_modules/${name}`))
for (const entry of Object.values(lock.packages)) {
  delete entry.funding
  delete entry.resolved
  for (const name of Object.keys(entry.optionalDependencies ?? {}))
    if (!resolved(name)) delete entry.optionalDependencies[name]
}
writeFileSync(path, JSON.stringify(lock, null, 2) + "\n")
