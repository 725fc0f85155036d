// The payment page's script. The page works without it, except for copying. It keeps the page up to date: by the stream
// of changes, by polling every five seconds if that fails, and at every return to the page. The last is needed since
// phones freeze pages and cut connections without notice.
"use strict";
(() => {
  const find = (selector) => document.querySelector(selector);
  const main = () => find("main");
  const resolve = (link) => link && new URL(link, location).href;
  const { self, live: changes, parent: shop } = document.body.dataset;
  const [address, live] = [resolve(self), resolve(changes)];
  let stream, polling, returning, reopening, isLooking, looksAgain, again, asking, clockDrift = 0, lookedAt = 0;

  // Of what this tab has done; unavailable in some browsers.
  let memory;
  try { memory = sessionStorage; } catch {}

  const say = (text) => { find("#said").textContent = text; };

  // Shows that the connection is lost until it is back, and then that it is back.
  const line = find("#line");
  let isAway = false, hiding;
  const tellLine = (isThere) => {
    if (isThere !== isAway) return;
    isAway = !isThere;
    clearTimeout(hiding);
    line.hidden = false;
    line.textContent = line.dataset[isThere ? "back" : navigator.onLine ? "lost" : "offline"];
    if (isThere) hiding = setTimeout(() => { line.hidden = true; }, 8000);
  };

  // The return URL is signed with the time, and shops accept it for an hour.
  const isOld = () => Date.now() + clockDrift - main().dataset.now > 18e5;

  // Replaces the content with the session's current page. Retries after a random delay if that fails or a code is
  // missing. Resolves to whether the state is known.
  const look = async () => {
    if (isLooking) { looksAgain = true; return; }
    isLooking = true;
    lookedAt = Date.now();
    clearTimeout(again);
    asking = new AbortController();
    const tooLong = setTimeout(() => asking.abort(), 8000);
    let isRight = false;
    try {
      const old = main();
      const headers = isOld() ? {} : { "If-None-Match": `"${old.dataset.tag}"` };
      const answer = await fetch(address, { headers, cache: "no-store", signal: asking.signal });
      isRight = [200, 304, 404].includes(answer.status);
      if (isRight && answer.status !== 304) {
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const next = page.querySelector("main");
        const isNew = next.dataset.tag !== old.dataset.tag;
        if (isNew || isOld()) {
          old.replaceWith(next);
          document.title = page.title;
          if (isNew) say(next.dataset.words);
          arrive();
        }
      }
    } catch {}
    clearTimeout(tooLong);
    isLooking = false;
    if (looksAgain) { looksAgain = false; look(); return; }
    if (line) tellLine(isRight);
    answerPayer(isRight);
    if (!isRight || lacksCode()) lookLater();
  };

  // The result for the payer's button appears beside it, or as the page's new state.
  let isAsked = false;
  const answerPayer = (isRight) => {
    if (!isAsked) return;
    isAsked = false;
    const place = find("#looked");
    if (!place) { main().scrollIntoView(); return; }
    const { unseen, unlooked } = find("[data-do=look]").dataset;
    place.textContent = isRight ? unseen : unlooked;
    place.scrollIntoView({ block: "nearest" });
  };
  const lookForPayer = (link) => {
    isAsked = true;
    find("#looked").textContent = link.dataset.looking;
    look();
  };

  const lacksCode = () => main().dataset.state === "waiting" && !find("#code");
  const lookLater = () => { again = setTimeout(look, 2000 + Math.random() * 3000); };

  const poll = () => { polling ||= setInterval(look, 5000); };

  const follow = () => {
    clearTimeout(reopening);
    stream?.close();
    if (main().dataset.state === "gone") { clearInterval(polling); return; }
    stream = new EventSource(live);
    stream.onopen = () => { clearInterval(polling); polling = 0; };
    stream.onerror = () => {
      poll();
      if (stream.readyState === 2) reopening = setTimeout(follow, 5000);
    };
    stream.addEventListener("state", ({ data }) => {
      const { tag, state } = JSON.parse(data);
      if (tag === main().dataset.tag) return;
      // Prevents a second payment while the page is fetched.
      if (state !== "waiting") find(".pay")?.remove();
      look();
    });
    // Spreads the requests of pages that missed the same change.
    stream.addEventListener("look", () => setTimeout(look, Math.random() * 3000));
  };

  const wake = () => {
    if (document.hidden) return;
    // An earlier request may hang on a dead connection.
    asking?.abort();
    look();
    follow();
  };

  // In the last quarter of the code's lifetime.
  const tick = () => {
    const { created, expires } = main().dataset;
    const place = find("#left");
    if (isOld() && Date.now() - lookedAt > 6e4) look();
    if (!place) return;
    const left = expires - Date.now() - clockDrift;
    place.hidden = left > (expires - created) / 4 || left < 0;
    const seconds = Math.max(0, Math.ceil(left / 1000));
    find("#time").textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    if (left < 0 && Date.now() - lookedAt > 5000) look();
  };

  // Once per session and tab: a payer who comes back stays.
  const goBack = () => {
    const to = main().dataset.return;
    const key = `returned ${live}`;
    if (!to || memory?.getItem(key)) return;
    let seconds = 5;
    const count = () => {
      find("#returning").hidden = false;
      find("#seconds").textContent = seconds;
      if (seconds-- > 0) return;
      clearInterval(returning);
      memory?.setItem(key, 1);
      location.href = to;
    };
    returning = setInterval(count, 1000);
    count();
  };

  // Call after the content of <main> changed.
  const arrive = () => {
    clearInterval(returning);
    const { now, state, session, transaction, status } = main().dataset;
    if (now) clockDrift = now - Date.now();
    tick();
    goBack();
    if (shop) parent.postMessage({ type: "pixledger.checkout", session, transaction: transaction || null, status: status || state }, shop);
  };

  const selectCode = (code) => {
    code.focus();
    code.setSelectionRange(0, code.value.length);
  };
  // For browsers without a clipboard (http) or that forbid it (frames).
  const copyOldWay = (code) => {
    try {
      selectCode(code);
      return document.execCommand("copy");
    } catch { return false; }
  };
  // Reports success only once it is certain. Some browsers never settle the promise; some do so late, after asking the
  // user.
  const copy = (button) => {
    const code = find("#code"), failed = find("#uncopied");
    let isDone = false, timer;
    const succeed = () => {
      clearTimeout(timer);
      isDone = failed.hidden = true;
      const { copied } = button.dataset;
      say(copied);
      button.dataset.words ||= button.textContent;
      button.textContent = copied;
      setTimeout(() => { button.textContent = button.dataset.words; }, 3000);
    };
    const tryOldWay = () => {
      clearTimeout(timer);
      if (isDone) return;
      if (copyOldWay(code)) { button.focus(); succeed(); return; }
      failed.hidden = false;
      selectCode(code);
    };
    failed.hidden = true;
    try {
      const writing = navigator.clipboard.writeText(code.value);
      timer = setTimeout(tryOldWay, 1000);
      writing.then(succeed, tryOldWay);
    } catch { tryOldWay(); }
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-do]");
    switch (button?.dataset.do) {
      case "copy": copy(button); break;
      case "look":
        event.preventDefault();
        lookForPayer(button);
        break;
      case "print": print(); break;
      // Rejects if the payer shares it with nobody.
      case "share": navigator.share({ title: document.title, url: location.href }).catch(() => {}); break;
      case "stay":
        clearInterval(returning);
        memory?.setItem(`returned ${live}`, 1);
        find("#returning").remove();
    }
  });
  const sharing = find("[data-do=share]");
  if (sharing) sharing.hidden = !navigator.share;
  if (!live) return;
  // The URL of a form's result accepts POST only, so history and reload must lead to the page.
  if (new URL(address).pathname !== location.pathname) {
    for (const link of document.links) link.href = link.href;
    for (const form of document.forms) form.action = form.action;
    history.replaceState(null, "", address);
  }
  document.addEventListener("visibilitychange", wake);
  addEventListener("pageshow", ({ persisted }) => persisted && wake());
  addEventListener("online", wake);
  addEventListener("offline", () => { poll(); tellLine(false); });
  setInterval(tick, 1000);
  arrive();
  if (lacksCode()) lookLater();
  follow();
})();
