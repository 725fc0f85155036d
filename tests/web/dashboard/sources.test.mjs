// What can be said of the dashboard's sources without a browser.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { wrongCalls } from "./api_calls.mjs";
import { documentOf, writeTypes } from "./api_types.mjs";
import { bundle, folder } from "./bundle.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const sources = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.parentPath.includes("vendor")).map((entry) => join(entry.parentPath, entry.name));

// By key: [Portuguese, English].
function allMessages() {
  const code = execFileSync("esbuild", [join(folder, "messages/messages.ts"), "--bundle", "--format=cjs"], { encoding: "utf8" });
  const module = { exports: {} };
  new Function("module", "exports", code)(module, module.exports);
  return module.exports.messages;
}

test("everything compiles, and a message that one language lacks would not", () => {
  writeTypes();
  const compile = (...more) => spawnSync(join(here, "node_modules/.bin/tsc"), ["-p", here, ...more], { encoding: "utf8" });
  assert.equal(compile().stdout, "");
});

// FILE → FILE → … of each circle of imports; types leave nothing to import.
function circlesOf(importsOf) {
  const circles = [], seen = new Map();
  const visit = (file, way) => {
    seen.set(file, "open");
    for (const next of importsOf.get(file)) {
      if (seen.get(next) === "open") circles.push([...way.slice(way.indexOf(next)), next].join(" → "));
      else if (!seen.has(next)) visit(next, [...way, next]);
    }
    seen.set(file, "done");
  };
  for (const file of importsOf.keys()) if (!seen.has(file)) visit(file, [file]);
  return circles;
}

test("no imports go in a circle", () => {
  const importsOf = new Map(sources.map((file) => {
    const imports = readFileSync(file, "utf8").matchAll(/^(?:import|export)\s+(?:(?!type\b)[^;"]*?from\s+)?"(\.[^"]+)";/gm);
    const files = [...imports].map(([, name]) => resolve(dirname(file), name))
      .flatMap((path) => [`${path}.ts`, `${path}.tsx`].filter((each) => sources.includes(each)));
    return [file, files];
  }));
  assert.ok([...importsOf.values()].flat().length > 200);
  assert.deepEqual(circlesOf(importsOf), []);
  assert.deepEqual(circlesOf(new Map([["a", ["b"]], ["b", ["c"]], ["c", ["b"]]])), ["b → c → b"]);
});

test("what an answer is typed as is what the document says of it", () => {
  const document = documentOf();
  const { calls, wrong } = wrongCalls(document, sources.map((file) => ({ file, text: readFileSync(file, "utf8") })));
  assert.deepEqual(wrong, []);
  assert.ok(calls > 60);
  const noticed = (text) => wrongCalls(document, [{ file: "page.tsx", text }]).wrong.length;
  assert.equal(noticed('useGet<Stats>("/api/v1/stats", { environment });'), 0);
  assert.equal(noticed('const path = "/api/v1/keys"; api.post<IssuedApiKey>(`${path}/${of.id}/roll`);'), 0);
  for (const text of ['useGet<{ days: number[] }>("/api/v1/stats")', 'api.get("/api/v1/stats")', 'useGet<Day[]>("/api/v1/stats")', 'api.post<ApiKey>("/api/v1/keys")',
    "api.get<Stats>(somewhere)", 'api.get<Stats>("/api/v1/statistics")'])
    assert.equal(noticed(text), 1, text);
});

test("Preact is byte for byte what its package has, and what the digests say", () => {
  const vendor = join(folder, "vendor/preact");
  const listed = readFileSync(join(vendor, "SHA256SUMS"), "utf8").trim().split("\n").map((line) => line.split("  "));
  assert.deepEqual(listed.map(([, name]) => name).sort(), readdirSync(vendor).filter((name) => name !== "SHA256SUMS").sort());
  const packaged = { "preact.mjs": "dist/preact.mjs", "hooks.mjs": "hooks/dist/hooks.mjs", "jsx-runtime.mjs": "jsx-runtime/dist/jsxRuntime.mjs", LICENSE: "LICENSE" };
  for (const [digest, name] of listed) {
    const bytes = readFileSync(join(vendor, name));
    assert.equal(createHash("sha256").update(bytes).digest("hex"), digest, name);
    assert.deepEqual(bytes, readFileSync(join(here, "node_modules/preact", packaged[name])), name);
  }
});

test("nothing writes markup, styles or scripts into pages", () => {
  for (const file of sources) {
    const text = readFileSync(file, "utf8");
    for (const forbidden of [/\b(inner|outer)HTML\b/, /\binsertAdjacentHTML\b/, /\bdangerouslySetInnerHTML\b/, /<[a-z]+[^<>]*\sstyle=/, /\beval\(/, /\bnew Function\(/, /document\.write/])
      assert.doesNotMatch(text, forbidden, file);
  }
});

test("both languages fill the same names into a message", () => {
  const messages = allMessages();
  const names = (text) => [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))].sort();
  assert.ok(Object.keys(messages).length > 300);
  for (const [key, [pt, en]] of Object.entries(messages)) {
    assert.ok(pt && en, key);
    assert.deepEqual(names(pt), names(en), key);
  }
});

test("texts say what people understand: no order where a request is meant, no person where an account of a system is", () => {
  const texts = Object.values(allMessages()).map(([pt]) => pt).join("\n");
  for (const word of [/código do pedido/i, /quem opera/i, /dinheiro a acertar/i, /onde você está dentro/i, /\bterminar\b/i, /não cabe/i, /pessoa \{/i, /bloquear algo/i, /tirar logotipo/i])
    assert.doesNotMatch(texts, word);
});

test("every event of the feed has words, and a type on the page of live events", () => {
  const { schemas } = documentOf().components;
  const resolved = (schema) => (schema.$ref ? schemas[schema.$ref.split("/").pop()] : schema);
  const named = (schema) => {
    const { properties, allOf = [] } = resolved(schema);
    const event = properties?.event && resolved(properties.event);
    return [...(event?.enum ?? (event?.const ? [event.const] : [])), ...allOf.flatMap(named)];
  };
  const names = schemas.Event.oneOf.flatMap(named);
  assert.ok(names.length > 50);
  const messages = allMessages();
  for (const name of names) {
    assert.ok(messages[`event_${name}`], name);
    const group = name.split(".")[0];
    assert.ok(messages[`evGroup_${group === "refund" ? "payment" : group}`], group);
  }
});

test("scripts and styles are at most 120 KB, compressed", () => {
  const { page, script, style } = bundle();
  const size = [page, script, style].reduce((sum, each) => sum + gzipSync(each, { level: 9 }).length, 0);
  assert.ok(size <= 120_000, `${size} bytes`);
});
