/** The screens that are not needed for the first look, in one file. */

export { Ask } from "./screens/ask";
export { Conflicts } from "./screens/conflicts";
export { Health } from "./screens/health";
export { Ledger } from "./screens/ledger";
export { Rules } from "./screens/rules";
