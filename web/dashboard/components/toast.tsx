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
// The open dialogs, topmost last: screen readers ignore everything outside the topmost.
const dialogs = createStore<string[]>([]);
let last = 0;
const toastsMax = 3;

// Shown until closed or until the page changes; read out by screen readers.
export function toast(text: string, kind: ToastKind = "good"): void {
  toasts.set([...toasts.get().slice(1 - toastsMax), { id: ++last, kind, text }]);
}

// For screen readers only, about visible changes.
export function announce(text: string): void {
  // A repeated text must be read again.
  said.set(said.get() === text ? `${text}\u00a0` : text);
}

// Clears the last text, so that the next region does not repeat it.
function setDialogs(next: string[]): void {
  said.set("");
  dialogs.set(next);
}
export const dialogOpened = (id: string): void => setDialogs([...dialogs.get(), id]);
export const dialogClosed = (id: string): void => setDialogs(dialogs.get().filter((each) => each !== id));

const close = (id: number) => toasts.set(toasts.get().filter((each) => each.id !== id));

function ToastLine({ id, kind, text }: Toast) {
  useEffect(() => {
    // Errors stay until they are closed.
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

// In the application and in each dialog; only the topmost shows toasts.
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
