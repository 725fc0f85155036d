// Every page, for everybody: no violation of WCAG 2.2 AA, nothing wider than the narrowest screen, nothing on the console, nothing of
// other hosts. In two variants of eight (language, width, theme); in all with PIXLEDGER_EVERY_VARIANT.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertQuiet, overflows, violations } from "../browser/browser.mjs";
import { pagesOfOperations, pagesOfPayments } from "./addresses.mjs";
import { Desk } from "./desk.mjs";
import { OperationsApi } from "./operations_api.mjs";

const each = ["light", "dark"].flatMap((theme) => [320, 1280].map((width) => ({ width, theme })));
const every = process.env.PIXLEDGER_EVERY_VARIANT;

for (const [language, variants] of [["pt-BR", every ? each : each.slice(0, 1)], ["en", every ? each : each.slice(-1)]])
  test(`pages have no violation, and fit 320 px, in ${language}`, async (t) => {
    const desk = await Desk.start(t, new OperationsApi());
    const usual = await desk.open("/", { language, width: 320 });
    for (const [path, options] of [...pagesOfPayments(desk.api), ...pagesOfOperations(desk.api)]) {
      const page = options ? await desk.open(path, { language, width: 320, ...options }) : await desk.goTo(usual, path);
      assert.equal(await page.locator("html").getAttribute("lang"), language);
      for (const width of [320, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        assert.equal(await overflows(page), false, `${path} ${width}`);
        assert.deepEqual(await desk.stickingOut(page), [], `${path} ${width}`);
      }
      for (const { width, theme } of variants) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme: theme });
        assert.deepEqual(await violations(page), [], `${path} ${width} ${theme}`);
      }
      assertQuiet(page, desk.host);
      assert.equal(await page.locator("[style]").count(), 0, path);
      if (options) await page.context().close();
    }
  });
