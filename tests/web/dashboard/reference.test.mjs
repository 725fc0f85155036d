// The reference, operation by operation, beside the document that it shows.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { documentOf } from "./api_types.mjs";
import { Desk } from "./desk.mjs";
import { OperationsApi } from "./operations_api.mjs";

const run = promisify(execFile);
// In Portuguese, the language of these tests' pages: each text's twin in its place.
function translated(value) {
  if (Array.isArray(value)) return value.map(translated);
  if (value === null || typeof value !== "object") return value;
  const rest = Object.entries(value).filter(([name]) => !name.startsWith("x-pt-")).map(([name, each]) => [name, translated(each)]);
  const twins = ["summary", "description"].filter((name) => value[`x-pt-${name}`]).map((name) => [name, value[`x-pt-${name}`]]);
  return Object.fromEntries([...rest, ...twins]);
}
const document = translated(documentOf());
const methods = ["get", "post", "put", "patch", "delete"];
const operations = [document.paths, document.webhooks].flatMap((paths) => Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).filter(([method]) => methods.includes(method)).map(([method, operation]) => ({ path, method, ...operation }))));

const resolved = (value) => (value?.$ref ? resolved(value.$ref.slice(2).split("/").reduce((each, name) => each[name], document)) : value);

// What the document says of the fields below a schema: [path, schema, whether it is required].
function fieldsOf(schema, at = "", found = []) {
  if (schema.$ref) fieldsOf(resolved(schema), at, found);
  for (const each of [...(schema.allOf ?? []), ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]) fieldsOf(each, at, found);
  const below = (name) => (at ? `${at}.${name}` : name);
  for (const [name, each] of Object.entries(schema.properties ?? {})) {
    found.push([below(name), each, schema.required?.includes(name) ?? false]);
    fieldsOf(each, below(name), found);
  }
  if (schema.items) fieldsOf(schema.items, `${at}[]`, found);
  if (typeof schema.additionalProperties === "object") {
    found.push([below("*"), schema.additionalProperties, false]);
    fieldsOf(schema.additionalProperties, below("*"), found);
  }
  return found;
}

const textOf = (markdown) => markdown.replace(/\[([^\]]+)\]\(https:[^)]+\)/g, "$1").replace(/[`*]/g, "").replace(/\s+/g, " ").trim();

// The rows of a part of the page, each with its own words, those of the fields in it left out.
const rowsOf = (page, selector) =>
  page.locator(`${selector} [data-field]`).evaluateAll((rows) => rows.map((row) => {
    const copy = row.cloneNode(true);
    for (const inner of copy.querySelectorAll(":scope > .schema-fields, :scope > .variant")) inner.remove();
    return [row.dataset.field, copy.textContent.replace(/\s+/g, " "), copy.querySelector(".badge") !== null];
  }));

function compare(rows, wanted, where) {
  assert.deepEqual([...new Set(rows.map(([path]) => path))].sort(), [...new Set(wanted.map(([path]) => path))].sort(), where);
  for (const [path, schema, required] of wanted) {
    const own = rows.filter(([each]) => each === path);
    const said = own.map(([, text]) => text.replace(/[`*]/g, "")).join("\n");
    const { description = resolved(schema).description, enum: values = [], ...limits } = { ...resolved(schema), ...schema };
    if (description) assert.ok(said.includes(textOf(description)), `${where} ${path}: ${description}`);
    for (const value of values) assert.ok(said.includes(JSON.stringify(value)), `${where} ${path}: ${value}`);
    for (const name of ["minimum", "maximum", "minLength", "maxLength", "maxItems"])
      if (limits[name] !== undefined) assert.ok(said.includes(`${name}: ${limits[name]}`), `${where} ${path}: ${name}`);
    if (required) assert.ok(own.some(([, , badge]) => badge), `${where} ${path} is required`);
  }
}

// Every example of a media type, as it is shown.
const examplesOf = (media) => [...(media.example === undefined ? [] : [media.example]), ...Object.values(media.examples ?? {}).map((each) => resolved(each).value)]
  .map((value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2)));

test("every operation is listed, with its method, path and summary", async (t) => {
  const desk = await Desk.start(t, new OperationsApi());
  const page = await desk.open("/docs");
  const shown = await page.locator(".operation-link").evaluateAll((links) => links.map((link) => [new URL(link.href).searchParams.get("operacao"), link.textContent.replace(/\s+/g, " ")]));
  assert.deepEqual(shown.map(([id]) => id).sort(), operations.map(({ operationId }) => operationId).sort());
  for (const { operationId, path, summary } of operations) {
    const [, text] = shown.find(([id]) => id === operationId);
    assert.ok(text.includes(path) && text.replace(/[`*]/g, "").includes(textOf(summary)), operationId);
  }
  assert.ok(textOf(await page.locator(".prose").innerText()).includes(textOf(document.info.description).slice(0, 200)));
});

test("every field, limit, code and example of every operation is shown, and no other", async (t) => {
  const desk = await Desk.start(t, new OperationsApi());
  const page = await desk.open("/docs");
  assert.ok(operations.length > 40);
  for (const operation of operations) {
    const { operationId: id } = operation;
    await desk.follow(page, `/docs?operacao=${id}`);
    await page.locator(`[data-operation="${id}"]`).waitFor();
    const words = textOf((await page.locator("main").textContent()).replace(/[`*]/g, ""));
    for (const text of [operation.summary, ...(operation.description ?? "").split("\n\n")]) assert.ok(words.includes(textOf(text)), `${id}: ${text}`);
    for (const scope of (operation.security ?? document.security).flatMap((each) => Object.values(each).flat())) assert.ok(words.includes(scope), `${id} ${scope}`);

    for (const kind of ["path", "query", "header"]) {
      const own = (operation.parameters ?? []).map(resolved).filter((each) => each.in === kind);
      const wanted = own.flatMap(({ name, schema, required, description }) => [[name, { ...schema, ...(description && { description }) }, required], ...fieldsOf(schema, name)]);
      compare(await rowsOf(page, `[data-parameters="${kind}"]`), wanted, `${id} ${kind}`);
    }
    const shownExamples = await page.locator("[data-example] pre").allTextContents();
    const body = operation.requestBody?.content ?? {};
    for (const [type, media] of Object.entries(body)) {
      compare(await rowsOf(page, `[data-body] [data-content="${type}"]`), fieldsOf(media.schema), `${id} body`);
      for (const example of examplesOf(media)) assert.ok(shownExamples.includes(example), `${id}: an example of its body`);
    }
    const statuses = await page.locator("[data-answer]").evaluateAll((all) => all.map((each) => each.dataset.answer));
    assert.deepEqual(statuses.sort(), Object.keys(operation.responses).sort(), id);
    for (const [status, given] of Object.entries(operation.responses)) {
      const { description, headers = {}, content = {} } = resolved(given);
      const answer = `[data-answer="${status}"]`;
      const text = await page.locator(answer).textContent();
      assert.ok(text.replace(/[`*]/g, "").includes(textOf(description)), `${id} ${status}`);
      for (const name of Object.keys(headers)) assert.ok(text.includes(name), `${id} ${status} ${name}`);
      const codes = await page.locator(`${answer} [data-code]`).evaluateAll((all) => all.map((each) => each.dataset.code));
      const isGood = status.startsWith("2");
      const wanted = new Set();
      for (const [type, media] of Object.entries(content)) {
        if (isGood) compare(await rowsOf(page, `${answer} [data-content="${type}"]`), fieldsOf(media.schema), `${id} ${status}`);
        // The other form of a refusal says the same; both are told once, with all codes.
        if (isGood || type === "application/json") for (const example of examplesOf(media)) assert.ok(shownExamples.includes(example), `${id} ${status}: an example`);
        if (!isGood) for (const name of Object.keys(media.examples ?? {})) wanted.add(resolved(media.examples[name]).value.code);
      }
      for (const code of wanted) assert.ok(codes.includes(code), `${id} ${status} ${code}`);
    }
  }
});

test("texts follow the page's language", async (t) => {
  const desk = await Desk.start(t, new OperationsApi());
  const english = documentOf();
  const created = (each) => each.paths["/api/v1/transactions"].post;
  for (const [language, texts, other, tag] of [["pt-BR", document, english, "Canais de webhook"], ["en", english, document, "Notification channels"]]) {
    const page = await desk.open("/docs", { language });
    await page.getByRole("heading", { name: tag }).waitFor();
    await page.locator('.operation-link[href$="createTransaction"]').click();
    await page.getByRole("heading", { name: created(texts).summary, level: 1 }).waitFor();
    const words = textOf((await page.locator("main").textContent()).replace(/[`*]/g, ""));
    assert.ok(words.includes(textOf(created(texts).description)));
    assert.ok(!words.includes(textOf(created(other).description)));
    await page.context().close();
  }
});

test("the forms of refusals are told once, and a code leads to its operations", async (t) => {
  const desk = await Desk.start(t, new OperationsApi());
  const page = await desk.open("/docs?codigo=todos");
  const { Error: error, Problem: problem } = document.components.schemas;
  compare(await rowsOf(page, "main section:nth-of-type(1)"), fieldsOf(error), "Error");
  compare(await rowsOf(page, "main section:nth-of-type(2)"), fieldsOf(problem), "Problem");
  await page.goto(`${desk.api.url}/docs?operacao=getTransactionV1`);
  await page.locator('[data-code="ERR_TRANSACTION_001"] a').click();
  await page.getByRole("heading", { name: "ERR_TRANSACTION_001", level: 1 }).waitFor();
  assert.ok((await page.locator(".operation-link").count()) > 1);
  assert.equal(await page.evaluate(() => document.activeElement.tagName), "H1");
});

test("a code that no operation answers is said to be none of theirs", async (t) => {
  const desk = await Desk.start(t, new OperationsApi());
  const page = await desk.open("/docs?codigo=ERR_AUTH_014");
  await page.getByText("Nenhuma operação da API responde com este código").waitFor();
  await page.getByText("A requisição veio de outro site e foi recusada.").waitFor();
});

test("a search finds fields, codes and paths, and stands in the address", async (t) => {
  const desk = await Desk.start(t, new OperationsApi());
  const page = await desk.open("/docs");
  const found = () => page.locator(".operation-link").evaluateAll((links) => links.map((link) => new URL(link.href).searchParams.get("operacao")));
  const search = page.getByRole("searchbox", { name: "Procurar na referência" });
  for (const [words, id, other] of [["graceSeconds", "rotateSecret", "getStore"], ["ERR_AUTH_010 refund", "refundTransaction", "isAlive"], ["/ledger/", "getCheckpoint", "createTransaction"]]) {
    await search.fill(words);
    await page.waitForFunction((wanted) => new URL(location).searchParams.get("busca") === wanted, words);
    const ids = await found();
    assert.ok(ids.includes(id) && !ids.includes(other), `${words}: ${ids}`);
  }
  await page.reload();
  await page.waitForSelector(".operation-link");
  assert.ok((await found()).includes("getCheckpoint"));
  await search.fill("nothing of this kind");
  await page.getByText("Nada encontrado").waitFor();
});

test("Experimentar calls the sandbox with the session, whatever the page's environment, and confirms again", async (t) => {
  const desk = await Desk.start(t, new OperationsApi());
  const page = await desk.open("/docs?operacao=addChannel", { environment: "live" });
  desk.api.stale = true;
  await page.getByLabel("Corpo").fill('{"url": "https://novo.example.com/pix", "events": ["transaction.paid"]}');
  await page.getByRole("button", { name: "Enviar no sandbox" }).click();
  const again = page.getByRole("dialog", { name: "Confirme que é você" });
  await again.getByRole("textbox", { name: "Senha" }).fill("correct horse battery");
  await again.getByLabel("Código de 6 dígitos").fill("123456");
  await again.getByRole("button", { name: "Confirmar" }).click();
  await page.locator(".outcome .badge").getByText("201").waitFor();
  assert.match(await page.locator(".outcome pre").innerText(), /"url": "https:\/\/novo\.example\.com\/pix"/);
  for (const { headers } of desk.sent("POST", "/api/v1/notification-channels")) {
    assert.equal(headers["pixledger-environment"], "sandbox");
    assert.equal(headers.authorization, undefined);
  }
  await page.goto(`${desk.api.url}/docs?operacao=getTransactionV1`);
  await page.locator("article").getByLabel(/^id/).fill("../store?x");
  await page.getByRole("button", { name: "Enviar no sandbox" }).click();
  await page.locator(".outcome .badge").waitFor();
  // What was typed stays one part of the path.
  assert.equal(desk.sent("GET", "/api/v1/transactions/..%2Fstore%3Fx").length, 1);
  // What has no sandbox is not tried: the team and the account are the real ones, and the store's settings.
  await page.goto(`${desk.api.url}/docs?operacao=changeStore`);
  await page.getByText("só podem ser alteradas em produção").waitFor();
  for (const id of ["changeStore", "onTransactionPaid", "isAlive", "removeMember", "addMember", "setPassword", "removeTotp", "endCurrentSignIn"]) {
    await page.goto(`${desk.api.url}/docs?operacao=${id}`);
    await page.locator(`[data-operation="${id}"]`).waitFor();
    assert.equal(await page.getByRole("button", { name: "Enviar no sandbox" }).count(), 0, id);
  }
});

test("the samples of curl and Node do what they say", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "pixledger-samples-"));
  const heard = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += part;
    heard.push({ method: request.method, path: request.url.split("?")[0], key: request.headers.authorization, body: text && JSON.parse(text) });
    response.writeHead(200, { "Content-Type": "application/json" }).end('{"success":true,"data":[],"meta":{"next":"cursor","totalPages":0}}');
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  const env = { ...process.env, PIXLEDGER_URL: `http://127.0.0.1:${server.address().port}`, PIXLEDGER_KEY: "sk_test_sample" };
  const sdk = pathToFileURL(fileURLToPath(new URL("../../../sdk/node/index.mjs", import.meta.url))).href;
  const desk = await Desk.start(t, new OperationsApi());
  const page = await desk.open("/docs");
  const ran = { curl: 0, Node: 0 };
  for (const { operationId: id, path, method, requestBody, security = document.security } of operations.filter((each) => document.paths[each.path])) {
    await desk.follow(page, `/docs?operacao=${id}`);
    await page.locator(`[data-operation="${id}"]`).waitFor();
    const media = requestBody?.content["application/json"];
    const example = media && JSON.parse(examplesOf(media)[0]);
    for (const kind of ["curl", "Node"]) {
      const sample = page.locator(`article [aria-label="${kind}"]`);
      if ((await sample.count()) === 0) continue;
      const text = await sample.textContent();
      if (kind === "curl") await run("bash", ["-c", text], { env });
      else {
        writeFileSync(join(folder, "sample.mjs"), text.replace("'@pixledger/sdk'", `'${sdk}'`));
        // The service's own answers are no API answers: what matters is what was asked.
        await run("node", [join(folder, "sample.mjs")], { env });
      }
      const asked = heard.pop();
      assert.ok(asked, `${id} ${kind}`);
      assert.equal(asked.method, method.toUpperCase(), `${id} ${kind}`);
      assert.match(asked.path, new RegExp(`^${path.replace(/\{\w+\}/g, "[^/{}$]+")}$`), `${id} ${kind}`);
      assert.equal(asked.key, security.length ? "Bearer sk_test_sample" : undefined, `${id} ${kind}`);
      if (example) assert.deepEqual(asked.body, example, `${id} ${kind}`);
      ran[kind] += 1;
    }
  }
  assert.ok(ran.curl > 30 && ran.Node > 25, JSON.stringify(ran));
});
