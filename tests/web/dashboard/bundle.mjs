// The dashboard as the build makes it: bundled by Debian's esbuild, with the names that index.html asks for filled in.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const folder = join(dirname(fileURLToPath(import.meta.url)), "../../../web/dashboard");
const flags = ["--bundle", "--minify", "--format=iife", "--target=es2021", "--charset=utf8", "--log-level=warning"];
const built = (file, more = []) => execFileSync("esbuild", [join(folder, file), ...flags, ...more], { maxBuffer: 1 << 26 });

export function bundle() {
  const made = mkdtempSync(join(tmpdir(), "pixledger-dashboard-"));
  // The verifier that the audit page saves is a text in the dashboard's script.
  const verifier = join(made, "verifier.txt");
  writeFileSync(verifier, built("verifier/standalone.tsx"));
  const page = readFileSync(join(folder, "index.html"), "utf8")
    .replaceAll("{{script}}", "/assets/main.js").replaceAll("{{style}}", "/assets/dashboard.css");
  const files = { page, script: built("main.tsx", [`--alias:pixledger-verifier=${verifier}`, "--loader:.txt=text"]), style: built("dashboard.css") };
  rmSync(made, { recursive: true });
  return files;
}
