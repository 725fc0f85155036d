// Pictures of every page, in both languages and themes, at a desk's width and at the narrowest: `node screenshots.mjs FOLDER [PART]`,
// of the pages alone whose address has that part. Says which are wider than their screen.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { overflows } from "../browser/browser.mjs";
import { pagesOfOperations, pagesOfPayments } from "./addresses.mjs";
import { Desk } from "./desk.mjs";
import { OperationsApi } from "./operations_api.mjs";

const [folder, part = ""] = process.argv.slice(2);
if (!folder) {
  console.error("usage: node screenshots.mjs FOLDER [PART]");
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const ends = [];
const desk = await Desk.start({ after: (end) => ends.unshift(end) }, new OperationsApi());
const pages = [...pagesOfPayments(desk.api), ...pagesOfOperations(desk.api)];
for (const language of ["pt-BR", "en"])
  for (const [index, [path, options]] of pages.entries()) {
    if (!path.includes(part)) continue;
    const page = await desk.open(path, { language, ...options });
    const name = `${String(index).padStart(2, "0")}${path.replace(/cmwq\w+/, "id").replace(/[^\w]+/g, "-")}`;
    for (const width of [1280, 320]) {
      await page.setViewportSize({ width, height: 900 });
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        await page.screenshot({ path: join(folder, `${name}.${language.slice(0, 2)}.${colorScheme}.${width}.png`), fullPage: true });
      }
      if (await overflows(page)) console.log(`${path} is wider than ${width} px in ${language}`);
    }
    await page.context().close();
  }
for (const end of ends) await end();
await desk.browser.close();
