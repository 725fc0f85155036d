import { useEffect } from "preact/hooks";
import { t } from "../app/i18n";
import { createStore, useStore } from "../app/store";
import { Button } from "./button";

export type ToastKind = "good" | "bad";
interface Toast {
  id: number;
  kind: ToastKind;
  text: string;
}

const toasts = createStore<Toast[]>([]);
const said = createStore("");
let last = 0;
const toastsMax = 3;

// Shown until it is closed or the page is left for another; read out by screen readers.
export function toast(text: string, kind: ToastKind = "good"): void {
  toasts.set([...toasts.get().slice(1 - toastsMax), { id: ++last, kind, text }]);
}

// Read out, not shown: for what eyes see anyway.
export function announce(text: string): void {
  // The same words again are to be read again.
  said.set(said.get() === text ? `${text}\u00a0` : text);
}

const close = (id: number) => toasts.set(toasts.get().filter((each) => each.id !== id));

function ToastLine({ id, kind, text }: Toast) {
  useEffect(() => {
    // What went wrong stays until it is closed.
    if (kind === "bad") return;
    const timer = setTimeout(() => close(id), 8000);
    return () => clearTimeout(timer);
  }, [id, kind]);
  return (
    <li class={`toast ${kind}`}>
      <span>{text}</span>
      <Button kind="quiet" icon="close" label={t("close")} onClick={() => close(id)} />
    </li>
  );
}

export function Toasts() {
  const shown = useStore(toasts);
  const words = useStore(said);
  return (
    <>
      <div class="toasts" role="log" aria-label={t("notices")}>
        {shown.length > 0 && (
          <ul class="plain-list stack">
            {shown.map((each) => (
              <ToastLine key={each.id} {...each} />
            ))}
          </ul>
        )}
      </div>
      <div class="said" aria-live="polite">
        {words}
      </div>
    </>
  );
}
