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
// The dialogs that are open, the topmost last: what is outside of it can neither be read out nor used.
const dialogs = createStore<string[]>([]);
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

// What was said before is not said again where it is told next.
function setDialogs(next: string[]): void {
  said.set("");
  dialogs.set(next);
}
export const dialogOpened = (id: string): void => setDialogs([...dialogs.get(), id]);
export const dialogClosed = (id: string): void => setDialogs(dialogs.get().filter((each) => each !== id));

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

// In the application, and in each dialog: told in the topmost.
export function Toasts({ dialog }: { dialog?: string }) {
  const isHere = useStore(dialogs).at(-1) === dialog;
  const shown = useStore(toasts);
  const words = useStore(said);
  return (
    <>
      <div class="toasts" role="log" aria-label={t("notices")}>
        {isHere && shown.length > 0 && (
          <ul class="plain-list stack">
            {shown.map((each) => (
              <ToastLine key={each.id} {...each} />
            ))}
          </ul>
        )}
      </div>
      <div class="said" aria-live="polite">
        {isHere && words}
      </div>
    </>
  );
}
