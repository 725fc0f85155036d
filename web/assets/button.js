// Included by a shop's page: <script src="…/pay/button.js" data-url="SESSION URL"></script> draws a button in its place.
// Wide screens open the payment in a frame, which sends messages {type: "pixledger.checkout", session, transaction,
// status}. Phones go to the payment page, where copying and other apps work.
"use strict";
(() => {
  const script = document.currentScript;
  const url = new URL(script.dataset.url, location.href);
  const isEnglish = (script.dataset.lang || document.documentElement.lang).startsWith("en");
  const style = (element, rules) => (Object.assign(element.style, rules), element);
  const button = document.createElement("button");
  button.type = "button";
  button.className = "pixledger-button";
  button.textContent = script.dataset.label || (isEnglish ? "Pay with Pix" : "Pagar com Pix");
  if (!script.hasAttribute("data-unstyled"))
    style(button, { font: "600 16px/1.5 system-ui, sans-serif", padding: "12px 24px", border: "0", borderRadius: "8px",
      background: "#0b6b3a", color: "#fff", cursor: "pointer" });

  const open = () => {
    const dialog = style(document.createElement("dialog"), { padding: "0", border: "0", borderRadius: "12px",
      width: "min(54rem, 94vw)", height: "min(48rem, 94vh)", overflow: "hidden" });
    const close = style(document.createElement("button"), { position: "absolute", top: "4px", right: "4px", width: "44px",
      height: "44px", border: "0", borderRadius: "22px", font: "24px/1 system-ui, sans-serif", background: "#fff",
      color: "#000", cursor: "pointer" });
    close.type = "button";
    close.textContent = "×";
    close.setAttribute("aria-label", isEnglish ? "Close" : "Fechar");
    const frame = style(document.createElement("iframe"), { width: "100%", height: "100%", border: "0" });
    frame.title = button.textContent;
    frame.allow = "clipboard-write";
    const embed = new URL(url);
    embed.pathname += "/embed";
    embed.searchParams.set("origin", location.origin);
    frame.src = embed.href;
    // If the shop may not frame the page, the frame sends no message: then go to the page itself.
    let isThere = false;
    const hear = ({ source }) => { isThere ||= source === frame.contentWindow; };
    addEventListener("message", hear);
    frame.onload = () => setTimeout(() => { if (!isThere && dialog.open) location.href = url.href; }, 1500);
    close.onclick = () => dialog.close();
    dialog.onclose = () => { removeEventListener("message", hear); dialog.remove(); };
    dialog.append(frame, close);
    document.body.append(dialog);
    dialog.showModal();
  };

  button.onclick = () => {
    if (matchMedia("(min-width: 48rem)").matches) open();
    else location.href = url.href;
  };
  script.replaceWith(button);
})();
