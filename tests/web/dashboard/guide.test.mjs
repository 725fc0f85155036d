// The merchants' guide, in Debian's chromium: every page, without sign-in.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertQuiet, launch, open, overflows, violations } from "../browser/browser.mjs";
import { Dashboard } from "../dashboard.mjs";

const pathsOf = (page) => page.locator("a[href^='/docs/guide']").evaluateAll((links) => links.map((link) => link.pathname));

test("every page is reached from the first, has no violation, and fits 320 px, light and dark", async (t) => {
  const site = await Dashboard.start(t);
  const page = await open(await launch(t), `http://${site.host}/docs/guide`);
  const waiting = new Set(["/docs/guide"]);
  let count = 0;
  for (const path of waiting) {
    const answer = await page.goto(`http://${site.host}${path}`);
    assert.equal(answer.status(), 200, path);
    assert.equal(await page.locator("html").getAttribute("lang"), path.startsWith("/docs/guide/pt") ? "pt-BR" : "en", path);
    assert.equal(await page.locator("h1").count(), 1, path);
    for (const each of await pathsOf(page)) waiting.add(each);
    for (const [width, colorScheme] of [[320, "light"], [1280, "dark"]]) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      assert.equal(await overflows(page), false, `${path} ${width}`);
      assert.deepEqual(await violations(page), [], `${path} ${width}`);
    }
    count += 1;
  }
  assert.ok(count >= 17, `${count} pages`);
  assertQuiet(page, site.host);
});

test("a reader changes the language, and comes back", async (t) => {
  const site = await Dashboard.start(t);
  const page = await open(await launch(t), `http://${site.host}/docs/guide`);
  await page.getByRole("link", { name: "Português" }).click();
  await page.getByRole("heading", { name: "Guia do lojista", level: 1 }).waitFor();
  await page.getByRole("link", { name: "English" }).click();
  await page.getByRole("heading", { name: "Merchants’ guide", level: 1 }).waitFor();
  await page.getByRole("navigation", { name: "Pages of the guide" }).getByRole("link").first().click();
  await page.locator("a[aria-current=page]").waitFor();
});
