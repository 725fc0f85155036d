// The dashboard as the build makes it: bundled by Debian's esbuild, with the names that index.html asks for filled in.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const folder = join(dirname(fileURLToPath(import.meta.url)), "../../../web/dashboard");
const flags = ["--bundle", "--minify", "--format=iife", "--target=es2021", "--charset=utf8", "--log-level=warning"];
const built = (file, more = []) => execFileSync("esbuild", [join(folder, file), ...flags, ...more], { maxBuffer: 1 << 26 });

export function bundle() {
  const page = readFileSync(join(folder, "index.html"), "utf8")
    .replaceAll("{{script}}", "/assets/main.js").replaceAll("{{style}}", "/assets/dashboard.css");
  return { page, script: built("main.tsx", ['--define:VERIFIER_PATH="/assets/verifier.js"']), verifier: built("verifier/standalone.tsx"), style: built("dashboard.css") };
}
