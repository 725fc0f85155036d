// Debian's chromium before payers' pages, and what every page of a test is held to: nothing on the console, and no request
// to another host.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { after } from "node:test";
import { chromium } from "playwright-core";
import { decodeQr } from "./pictures.mjs";

const executablePath = process.env.PIXLEDGER_CHROMIUM ?? "/usr/bin/chromium";
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// One browser for all tests of a file, which run one after the other; what a test opened in it is closed with the test.
let browser;
after(() => browser?.close());

export async function launch(t) {
  browser ??= await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
  t.after(() => Promise.all(browser.contexts().map((context) => context.close())));
  return browser;
}

// A page of its own context. `heard`: console and errors; `asked`: addresses.
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, bypassCSP: false, ...options });
  const page = await context.newPage();
  page.heard = [];
  page.asked = [];
  page.on("console", (message) => page.heard.push(message.text()));
  page.on("pageerror", (error) => page.heard.push(String(error)));
  page.on("request", (request) => page.asked.push(request.url()));
  await page.goto(url);
  return page;
}

export function assertQuiet(page, host) {
  assert.deepEqual(page.heard, []);
  assert.deepEqual(page.asked.filter((url) => !url.startsWith("data:") && new URL(url).host !== host), []);
}

// WCAG 2.2 AA and what is below it. By a world of its own, which the page's policy does not hold for.
export async function violations(page) {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send("Page.getFrameTree");
  const { executionContextId: contextId } = await session.send("Page.createIsolatedWorld", { frameId: frameTree.frame.id });
  await session.send("Runtime.evaluate", { contextId, expression: axeSource });
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const { result, exceptionDetails } = await session.send("Runtime.evaluate", { contextId, awaitPromise: true, returnByValue: true,
    expression: `axe.run(${JSON.stringify({ runOnly: tags, resultTypes: ["violations"], selectors: false })}).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))` });
  assert.equal(exceptionDetails, undefined);
  await session.detach();
  return result.value;
}

export const readQr = async (page) => decodeQr(await page.locator("svg.qr").screenshot());

export const overflows = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
