// What people see at a glance: figures, rows, plots, first steps and results while they type.
import assert from "node:assert/strict";
import { test } from "node:test";
import { open, overflows, violations } from "../browser/browser.mjs";
import { eventually } from "../site.mjs";
import { Desk } from "./desk.mjs";
import { OperationsApi } from "./operations_api.mjs";
import { statsOf } from "./sample_data.mjs";

const phone = 390;
const stats = (desk, change) => desk.api.routes.unshift(["GET", /^\/api\/v1\/stats$/, ({ query }) => {
  const found = statsOf(query.get("from"), query.get("to"));
  for (const each of [...found.days, found.totals]) change(each);
  return { data: found, meta: { timezone: "America/Recife" } };
}]);
const none = { data: [], meta: { total: 0, page: 1, limit: 5, totalPages: 0 } };
const isPath = (path) => (url) => url.pathname === path;

test("great figures fit a phone", async (t) => {
  const desk = await Desk.start(t);
  stats(desk, (each) => Object.assign(each, { paidCents: 12_345_678_900, refundedCents: 98_765_432, ...("unappliedCents" in each && { unappliedCents: 12_345_678_900, failingChannels: 0 }) }));
  const page = await desk.open("/");
  for (const width of [320, phone, 700, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    const out = await page.locator(".tile .big").evaluateAll((all) => all.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent));
    assert.deepEqual(out, [], `${width}`);
    assert.equal(await overflows(page), false, `${width}`);
  }
});

test("a charge is two lines on a phone, its amount on the right, and any place of it opens it", async (t) => {
  const desk = await Desk.start(t);
  const [charge] = desk.api.worlds.live.transactions;
  const page = await desk.open("/cobrancas", { width: phone });
  const row = page.locator("main tbody tr").first();
  const boxOf = async (part) => row.locator(part).boundingBox();
  const [whole, lead, figure, below, marks] = await Promise.all(["..", ".phone-lead", ".phone-figure", ".phone-below", ".phone-marks"].map((part) => (part === ".." ? row.boundingBox() : boxOf(part))));
  assert.ok(whole.height < 80, `${whole.height}`);
  assert.ok(Math.abs(figure.x + figure.width - whole.x - whole.width) < 2);
  assert.ok(figure.y < below.y && lead.y < marks.y && lead.x < figure.x && below.x < marks.x);
  for (const width of [phone, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    const broken = await page.locator("main time").evaluateAll((all) => all.filter((each) => each.getClientRects().length > 1).length);
    assert.equal(broken, 0, `${width}`);
  }
  await row.locator("td").nth(3).click();
  await page.waitForURL(isPath(`/cobrancas/${charge.id}`));
});

test("failed charges, partly refunded ones and those to settle are a chip away", async (t) => {
  const desk = await Desk.start(t);
  const page = await desk.open("/cobrancas?status=paid");
  const asked = () => Object.fromEntries(desk.sent("GET", "/api/v1/transactions").at(-1).query);
  await page.getByRole("link", { name: "Falhou", exact: true }).click();
  await eventually(() => asked().failed === "true" && asked().status === undefined);
  await page.getByRole("link", { name: "Com pagamentos a conferir", exact: true }).click();
  await eventually(() => asked().unapplied === "true");
  await page.getByRole("link", { name: "Devolvida em parte", exact: true }).click();
  await eventually(() => asked().partlyRefunded === "true" && asked().unapplied === "true");
  await page.getByRole("link", { name: "Todas", exact: true }).click();
  await eventually(() => ["failed", "partlyRefunded", "unapplied"].every((name) => asked()[name] === undefined));
});

test("a new store is told what to do first, in the sandbox", async (t) => {
  const desk = await Desk.start(t, new OperationsApi());
  stats(desk, (each) => Object.keys(each).forEach((name) => name !== "day" && (each[name] = /conversion|time/.test(name) ? null : 0)));
  desk.api.routes.unshift(["GET", /^\/api\/v1\/transactions$/, () => none]);
  const page = await desk.open("/", { width: phone });
  const steps = page.getByRole("region", { name: "Primeiros passos" });
  await steps.getByRole("button", { name: "Ir para o sandbox" }).waitFor();
  assert.equal(await page.locator(".tile, figure").count(), 0);
  assert.equal(await steps.locator("li.done").count(), 2); // it has a colour and keys
  assert.deepEqual(await violations(page), []);
  await steps.getByRole("button", { name: "Ir para o sandbox" }).click();
  await page.waitForURL(isPath("/cobrancas/nova"));
  await page.getByText("nenhum dinheiro é movimentado aqui").waitFor();
});

test("plots tell their values under the pointer and by arrow keys, and which day has not ended", async (t) => {
  const desk = await Desk.start(t);
  const page = await desk.open("/");
  const plot = page.locator("figure").first();
  const value = plot.locator(".plot-value");
  const dayOf = (nth) => plot.locator("tbody tr").nth(nth).locator("td").first().textContent();
  assert.match(await value.innerText(), /recebidos; o melhor dia foi/);
  await plot.getByRole("slider").focus();
  await eventually(async () => (await value.innerText()).startsWith(await dayOf(29)));
  await page.keyboard.press("ArrowLeft");
  await eventually(async () => (await value.innerText()).startsWith(await dayOf(28)));
  assert.match(await plot.getByRole("slider").getAttribute("aria-valuetext"), /Recebido R\$.* · Período anterior R\$/);
  await page.keyboard.press("Tab");
  const { x, y, width } = await plot.locator(".chart").boundingBox();
  await page.mouse.move(x + width - 3, y + 60);
  await eventually(async () => (await value.innerText()).startsWith(await dayOf(29)));
  assert.equal(await plot.locator("rect.today").count(), 1);
  assert.equal(await plot.locator(".s2 .line").count() >= 1, true);
});

test("every plot of the overview shows the period before, too", async (t) => {
  const desk = await Desk.start(t);
  const page = await desk.open("/");
  const sliders = page.locator("figure").getByRole("slider");
  await sliders.first().waitFor();
  const said = await sliders.evaluateAll((all) => all.map((each) => each.getAttribute("aria-valuetext")));
  assert.equal(said.length, 4);
  for (const each of said) assert.match(each, /período anterior/i);
  assert.equal(await page.locator("figure .s2 path.line").count(), 8); // in the legend, and as a line
});

test("nothing that is shown moves when the last answer comes", async (t) => {
  const desk = await Desk.start(t);
  const held = [];
  const hold = (response, answer) => void held.push(() => response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ success: true, ...answer })));
  let asked = 0;
  desk.api.routes.unshift(["GET", /^\/api\/v1\/stats$/, ({ query, response }) => {
    const answer = { data: statsOf(query.get("from"), query.get("to")), meta: { timezone: "America/Recife" } };
    return ++asked === 2 ? hold(response, answer) : answer; // the period before
  }]);
  for (const path of ["/", "/cobrancas/nova"]) {
    if (path !== "/") desk.api.routes.unshift(["GET", /^\/api\/v1\/transactions$/, ({ response }) => hold(response, none)]);
    const page = await open(desk.browser, "about:blank", { viewport: { width: phone, height: 844 }, locale: "pt-BR" });
    await page.context().addCookies([desk.api.session()]);
    await page.addInitScript((user) => {
      localStorage.setItem("pixledger.signedIn", user);
      window.moved = 0;
      new PerformanceObserver((list) => list.getEntries().forEach((each) => { window.moved += each.value; })).observe({ type: "layout-shift", buffered: true });
    }, desk.api.user.id);
    // Enough of them for all other answers.
    const frames = () => page.evaluate(async () => {
      for (let left = 30; left > 0; --left) await new Promise(requestAnimationFrame);
    });
    await page.goto(desk.api.url + path);
    await eventually(() => held.length === 1);
    await frames();
    held.pop()();
    await desk.settled(page);
    await frames();
    assert.equal(await page.evaluate(() => window.moved), 0, path);
  }
});

test("results come while one types, and the keyboard alone gets to them", async (t) => {
  const desk = await Desk.start(t);
  const { transactions } = desk.api.worlds.live;
  const page = await desk.open("/bloqueios");
  const box = page.getByRole("combobox", { name: "Buscar" });
  const results = page.getByRole("listbox", { name: "Busca" }).getByRole("option");
  for (const keys of ["/", "Control+k"]) {
    await page.locator("h1").focus();
    await page.keyboard.press(keys);
    await desk.hasFocus(box, keys);
  }
  await page.keyboard.type("ana");
  await results.first().waitFor();
  assert.equal(desk.sent("GET", "/api/v1/transactions").at(-1).query.get("environment"), "live");
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press("ArrowDown");
  const first = transactions.find(({ customer }) => /ana/i.test(customer.name));
  assert.equal(await results.evaluateAll((all) => all.map((each) => each.ariaSelected).indexOf("true")), 0);
  await page.keyboard.press("Enter");
  await page.waitForURL(isPath(`/cobrancas/${first.id}`));
  // An amount; and what is not chosen leads to the page of all results.
  await box.fill((transactions[3].amountCents / 100).toFixed(2).replace(".", ","));
  await results.filter({ hasText: transactions[3].externalId }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(isPath("/busca"));
  await page.getByRole("table", { name: "Cobranças" }).waitFor();
  await page.locator("h1").focus();
  await results.first().waitFor({ state: "hidden" });
});

test("the store's page shows how payers will see it, before it is saved", async (t) => {
  const desk = await Desk.start(t, new OperationsApi());
  const page = await desk.open("/loja");
  const preview = page.locator(".preview");
  await page.getByLabel("Cor", { exact: false }).first().fill("#ffee00");
  await page.getByLabel("Nome", { exact: true }).fill("Padaria Sol");
  await preview.getByText("Padaria Sol").waitFor();
  assert.equal(await preview.locator("[data-preview-color='#ffee00']").count(), 1);
  assert.equal(await preview.locator("svg text").getAttribute("fill"), "#000000");
  assert.deepEqual(await violations(page), []);
});

test("a delivery's body is shown in lines, and as it was sent", async (t) => {
  const desk = await Desk.start(t, new OperationsApi());
  const [channel] = desk.api.channels;
  const page = await desk.open(`/webhooks/${channel.id}?entrega=${desk.api.deliveriesOf(channel.id)[0].id}`, { width: phone });
  const shown = await page.locator("[data-formatted]").textContent();
  const sent = await page.locator("[data-sent-body]").textContent();
  assert.ok(shown.includes("\n  ") && !sent.includes("\n"));
  assert.deepEqual(JSON.parse(shown), JSON.parse(sent));
});
