// The dashboard before its fake API, in Debian's chromium.
import assert from "node:assert/strict";
import { launch, open } from "../browser/browser.mjs";
import { Contract } from "./contract.mjs";
import { FakeApi } from "./fake_api.mjs";

export class Desk {
  static async start(t, api = new FakeApi()) {
    const desk = new Desk();
    desk.api = await api.start();
    desk.api.contract = new Contract();
    t.after(() => desk.api.stop());
    desk.browser = await launch(t);
    t.after(() => assert.deepEqual(desk.api.contract.wrong, []));
    return desk;
  }

  get host() { return new URL(this.api.url).host; }

  // A page of its own context, signed in unless told otherwise.
  async open(path, { signedIn = true, environment, language, width = 1280, ...options } = {}) {
    const page = await open(this.browser, "about:blank", { viewport: { width, height: 900 }, locale: "pt-BR", ...options });
    if (signedIn) await page.context().addCookies([this.api.session()]);
    await page.addInitScript(({ signedIn, environment, language }) => {
      if (signedIn && !sessionStorage.getItem("begun")) localStorage.setItem("pixledger.signedIn", signedIn);
      sessionStorage.setItem("begun", "yes");
      if (environment && !sessionStorage.getItem("pixledger.environment")) sessionStorage.setItem("pixledger.environment", environment);
      if (language) localStorage.setItem("pixledger.language", language);
    }, { signedIn: signedIn && this.api.user.id, environment, language });
    // The empty page is no request of the dashboard's.
    page.asked = [];
    return this.goTo(page, path);
  }

  // By its address, as a new page is.
  async goTo(page, path) {
    await page.goto(this.api.url + path);
    await this.settled(page);
    return page;
  }

  // As the page's own links do.
  async follow(page, path) {
    await page.evaluate((to) => {
      const link = document.createElement("a");
      link.href = to;
      document.body.append(link);
      link.click();
      link.remove();
    }, path);
    await this.settled(page);
  }

  async settled(page) {
    await page.waitForSelector("h1");
    await page.waitForFunction(() => !document.querySelector(".loading"));
  }

  async hasFocus(element, where) {
    const has = await element.evaluate((it) => it === document.activeElement || document.activeElement.outerHTML.slice(0, 300));
    assert.equal(has, true, `${where}: the focus is elsewhere`);
  }

  // What is wider than the card that it stands in, but for what can be scrolled there.
  stickingOut(page) {
    return page.evaluate(() => [...document.querySelectorAll("main section")].flatMap((card) => {
      const { right } = card.getBoundingClientRect();
      const isScrolled = (each) => each !== card && (getComputedStyle(each).overflowX !== "visible" || isScrolled(each.parentElement));
      return [...card.querySelectorAll("*")].filter((each) => each.getBoundingClientRect().right > right + 1 && !isScrolled(each.parentElement)).map((each) => each.outerHTML.slice(0, 200));
    }));
  }

  // What was sent to a path, newest last.
  sent(method, path) { return this.api.asked.filter((each) => each.method === method && each.path === path); }
}
