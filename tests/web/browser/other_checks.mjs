// What every page is held to in browsers that are driven by WebDriver.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

// WCAG 2.2 AA and what is below it.
export const violations = (browser) => browser.runUntilCalled(`${axeSource};
  const done = arguments[arguments.length - 1];
  axe.run({ runOnly: arguments[0] }).then(({ violations }) => done(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])),
    (error) => done(String(error)));`, tags);
export const overflows = (browser) => browser.run("return document.documentElement.scrollWidth > document.documentElement.clientWidth");
