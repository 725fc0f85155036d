// The dashboard's verifier of receipts: of a real server's, beside `pixledger check-proof` and the Node SDK; and as the file
// that the audit page saves, opened from the disk in a browser without a network. Environment:
//   PIXLEDGER_BIN_DIR  where pixledger and pixledger-server are (required)
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { World, order } from "../../sdk/world.mjs";
import { verifyReceipt as sdkVerifies } from "../../../sdk/node/index.mjs";
import { violations } from "../browser/browser.mjs";
import { folder } from "./bundle.mjs";
import { Desk } from "./desk.mjs";
import { OperationsApi } from "./operations_api.mjs";

const work = mkdtempSync(join(tmpdir(), "pixledger-verifier-"));
let world;
let line; // the ledger's public key
let paid; // the receipt of a charge that was paid and partly refunded
const lives = {}; // receipts by what became of the charge

async function load(file) {
  const out = join(work, `${file}.mjs`);
  execFileSync("esbuild", [join(folder, "verifier", `${file}.ts`), "--bundle", "--format=esm", "--target=es2021", `--outfile=${out}`, "--log-level=warning"]);
  return import(pathToFileURL(out));
}
const { verifyReceipt } = await load("receipt");
const { parseVerifierKey } = await load("checkpoint");
const ed25519 = await load("ed25519");
const verdictOf = async (text, key = line) => verifyReceipt(text, await parseVerifierKey(key));

async function checkProof(text) {
  const file = join(work, "receipt.json");
  writeFileSync(file, text);
  const { code, stdout } = await world.result("check-proof", file, "--public-key", line, "--json");
  return { code, ...JSON.parse(stdout || "{}") };
}

before(async () => {
  world = await World.open();
  ({ publicKey: line } = await world.pixledger("checkpoint", "--public-key"));
  const { client } = world;
  const make = async (name, act) => {
    const { id } = await client.transactions.create({ ...order, customerIp: "203.0.113.9", externalId: name, metadata: { "loja.canal": "balcão “1”" } });
    await act(id);
    lives[name] = await client.transactions.receipt(id);
  };
  await make("waiting_payment", () => {});
  await make("paid", async (id) => {
    await client.sandbox.pay(id);
    await client.transactions.refund(id, { amountCents: 500, reason: "troca — “tamanho”" });
  });
  await make("refunded", async (id) => {
    await client.sandbox.pay(id);
    await client.transactions.refund(id);
  });
  await make("expired", (id) => client.sandbox.expire(id));
  await make("failed", (id) => client.sandbox.fail(id));
  await make("cancelled", (id) => client.transactions.cancel(id));
  paid = lives.paid;
});
after(async () => {
  await world?.close();
  rmSync(work, { recursive: true });
});

test("good receipts are told as check-proof tells them", async () => {
  for (const [name, receipt] of Object.entries(lives)) {
    for (const text of [JSON.stringify(receipt), JSON.stringify({ success: true, data: receipt }, null, 2)]) {
      const verdict = await verdictOf(text);
      const checked = await checkProof(text);
      assert.equal(verdict.ok, true, `${name}: ${verdict.reason} ${verdict.place}`);
      assert.equal(checked.code, 0);
      for (const field of ["transactionId", "status", "withoutPersonalData", "origin", "size", "rootHash", "streamLength"])
        assert.equal(verdict[field], checked[field], `${name}: ${field}`);
      assert.equal(verdict.status, name);
      assert.deepEqual(verdict.events, receipt.events.map(({ event }) => event));
    }
  }
});

// Every change of one value of the receipt, as its text.
function* changesOf(receipt) {
  const paths = [];
  const walk = (value, path) => {
    if (path.length > 0) paths.push(path);
    if (value !== null && typeof value === "object") for (const key of Object.keys(value)) walk(value[key], [...path, key]);
  };
  walk(receipt, []);
  const others = (value) => {
    if (typeof value === "number") return [value + 1, String(value), null];
    if (typeof value === "string") return [`${value} `, value.slice(1), "", null];
    if (value === null) return ["", 0, {}];
    if (Array.isArray(value)) return [value.slice(0, -1), [...value, value.at(-1) ?? "x"], null];
    return typeof value === "boolean" ? [!value, null] : [{ ...value, surprise: 1 }, {}, null];
  };
  for (const path of paths) {
    const changed = (change) => {
      const copy = JSON.parse(JSON.stringify(receipt));
      change(path.slice(0, -1).reduce((each, key) => each[key], copy), path.at(-1));
      return [path.join("."), JSON.stringify(copy)];
    };
    yield changed((parent, key) => (Array.isArray(parent) ? parent.splice(key, 1) : delete parent[key]));
    for (const other of others(path.reduce((each, key) => each[key], receipt))) yield changed((parent, key) => { parent[key] = other; });
  }
}

test("whatever is changed is refused for the SDK's reason, and by check-proof", async () => {
  let n = 0;
  for (const receipt of [paid, { success: true, data: paid }]) {
    for (const [what, text] of changesOf(receipt)) {
      const verdict = await verdictOf(text);
      const theirs = sdkVerifies(text, line);
      assert.equal(verdict.ok, false, what);
      assert.equal(verdict.reason, theirs.reason, what);
      if (verdict.reason === "shown_differs") assert.ok(theirs.message.startsWith(`${verdict.place} `), what);
      // A process each.
      if (n++ % 13 === 0) assert.equal((await checkProof(text)).code, 1, what);
    }
  }
  assert.ok(n > 300, String(n));
});

test("receipts that are cut, mixed, twofold or none are refused by all three", async () => {
  const text = JSON.stringify(paid);
  const cases = {
    incomplete: JSON.stringify({ ...paid, events: paid.events.slice(0, -1) }),
    not_included: JSON.stringify({ ...paid, events: lives.refunded.events }),
    not_signed: text.replace(/\\n([^"]*)\\n([^"]*)\\nstream/, "\\n$1\\n$2\\nstreak"),
    wrong_event: JSON.stringify({ ...paid, events: [] }),
  };
  for (const [reason, each] of Object.entries(cases)) {
    assert.equal((await verdictOf(each)).reason, reason);
    assert.equal(sdkVerifies(each, line).reason, reason);
    assert.equal((await checkProof(each)).code, 1);
  }
  for (const each of ["", "{", "[]", "null", "7", '{"data":null}', text.replace("{", '{"transactionId":"c12345678",'), text.replace('"event":{', '"event":{"\\u0076ersion":1,'), "[".repeat(1e5)]) {
    assert.equal((await verdictOf(each)).reason, "malformed_receipt", each.slice(0, 60));
    assert.equal((await checkProof(each)).code, 1);
  }
});

test("the key is its line alone, and another refuses", async () => {
  assert.ok((await verdictOf(JSON.stringify(paid), `  ${line}\n`)).ok);
  for (const wrong of ["", "x", line.slice(0, -4), line.replace(/\+[0-9a-f]/, "+x"), line.replace("pixledger/", "pixledgre/")]) assert.equal(await parseVerifierKey(wrong), undefined, wrong);
  const of = await parseVerifierKey(line);
  assert.equal((await verifyReceipt(JSON.stringify(paid), { ...of, name: of.name.replace(/\d$/, "7") })).reason, "not_signed");
  assert.equal((await verifyReceipt(JSON.stringify(paid), { ...of, key: new Uint8Array(randomBytes(32)) })).reason, "not_signed");
});

const bytes = (hex) => new Uint8Array(Buffer.from(hex, "hex"));
// RFC 8032 section 7.1: key, message, signature.
const vectors = [
  ["d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"],
  ["3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"],
  ["fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
    "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"],
];

test("our own Ed25519 says of good and changed signatures what the platform's says", async () => {
  const say = async (expected, key, message, signature) => {
    assert.equal(await ed25519.verifyByArithmetic(key, message, signature), expected);
    assert.equal(await ed25519.verifyEd25519(key, message, signature), expected);
  };
  for (const vector of vectors) await say(true, ...vector.map(bytes));
  for (let n = 0; n < 64; n++) {
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    const key = new Uint8Array(Buffer.from(publicKey.export({ format: "jwk" }).x, "base64url"));
    const message = new Uint8Array(randomBytes(n));
    const signature = new Uint8Array(sign(null, message, privateKey));
    await say(true, key, message, signature);
    const changed = signature.slice();
    changed[n] ^= 1 << (n % 8);
    await say(false, key, message, changed);
    await say(false, key, new Uint8Array([...message, 0]), signature);
  }
  // S is taken modulo the order by who forgets to look: section 5.1.7 says that it is not below it.
  const [key, message, signature] = vectors[1].map(bytes);
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  let s = BigInt(`0x${Buffer.from(signature.slice(32).reverse()).toString("hex")}`) + order;
  const malleable = signature.slice();
  for (let at = 32; at < 64; at++, s >>= 8n) malleable[at] = Number(s & 255n);
  await say(false, key, message, malleable);
  await say(false, key, message, signature.slice(0, 63));
  await say(false, bytes("ff".repeat(32)), message, signature);
});

// What a page with the verifier's form says.
async function judge(page, text, key) {
  await page.getByLabel(/^(Recibo|Receipt)$/).fill(text);
  await page.getByLabel(/Chave pública|Public key/).fill(key);
  await page.getByRole("button", { name: /Verificar recibo|Verify receipt/ }).click();
  return page.locator("[data-verdict]").getAttribute("data-verdict");
}

test("the audit page and the file that it saves say the same, the file from the disk and offline", async (t) => {
  const desk = await Desk.start(t, new OperationsApi());
  desk.api.receipt = paid;
  const forged = JSON.stringify(paid).replace('"amountCents":1990', '"amountCents":1');
  const cut = JSON.stringify({ ...paid, events: paid.events.slice(0, -1) });
  for (const locale of ["pt-BR", "en"]) {
    const page = await desk.open("/auditoria", { language: locale });
    await page.getByLabel(/ID da cobrança|Charge id/).fill(paid.transactionId);
    await page.getByRole("button", { name: /Buscar recibo|Fetch receipt/ }).click();
    await page.waitForFunction(() => [...document.querySelectorAll("textarea")].some(({ value }) => value.includes("checkpoint")));
    await page.getByLabel(/Chave pública|Public key/).fill(line);
    await page.getByRole("button", { name: /Verificar recibo|Verify receipt/ }).click();
    assert.equal(await page.locator("[data-verdict]").getAttribute("data-verdict"), "holds");
    assert.deepEqual(await violations(page), []);
    assert.equal(await judge(page, forged, line), "shown_differs");

    const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: /Salvar verificador|Save verifier/ }).click()]);
    const file = join(work, saved.suggestedFilename());
    await saved.saveAs(file);
    assert.deepEqual(page.heard, []);
    await page.context().close();

    const context = await desk.browser.newContext({ locale, viewport: { width: 320, height: 700 }, colorScheme: locale === "en" ? "dark" : "light" });
    await context.setOffline(true);
    const alone = await context.newPage();
    const heard = [];
    const asked = [];
    alone.on("console", (message) => heard.push(message.text()));
    alone.on("pageerror", (error) => heard.push(String(error)));
    alone.on("request", (request) => asked.push(request.url()));
    await alone.goto(pathToFileURL(file).href);
    assert.equal(await alone.getByLabel(/Chave pública|Public key/).inputValue(), line);
    assert.equal(await judge(alone, JSON.stringify(paid), line), "holds");
    assert.deepEqual(await violations(alone), []);
    assert.equal(await alone.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth), false);
    for (const [text, reason] of [[forged, "shown_differs"], [cut, "incomplete"], ["{}", "malformed_receipt"]]) {
      assert.equal(await judge(alone, text, line), reason);
      assert.equal((await checkProof(text)).code, 1);
    }
    assert.equal(await judge(alone, JSON.stringify(paid), "x"), "none");
    await alone.setInputFiles("input[type=file]", { name: "recibo.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(paid)) });
    await alone.waitForFunction(() => document.querySelector("textarea").value.includes("checkpoint"));
    // Without the browser's Ed25519, and without any cryptography.
    assert.equal(await judge(alone, JSON.stringify(paid), line), "holds");
    await alone.evaluate(() => { SubtleCrypto.prototype.importKey = () => Promise.reject(new Error("not supported")); });
    assert.equal(await judge(alone, cut, line), "incomplete");
    assert.equal(await judge(alone, JSON.stringify(paid), line), "holds");
    // Its policy lets it load and send nothing.
    await assert.rejects(alone.evaluate((url) => fetch(url), desk.api.url));
    assert.equal(heard.filter((each) => !each.includes("Content Security Policy")).length, 0, heard.join("\n"));
    assert.deepEqual(asked.filter((url) => !url.startsWith("file:")), []);
    await context.close();
  }
  assert.ok(readFileSync(join(work, "pixledger-verificador.html"), "utf8").startsWith("<!doctype html>"));
});
