import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../app/i18n";
import { Button } from "./button";
import { dialogClosed, dialogOpened, Toasts } from "./toast";

export interface DialogProps {
  title: string;
  onClose(): void;
  children: ComponentChildren;
  wide?: boolean;
  // Can be closed only by its content.
  insistent?: boolean;
}

// A native dialog, open while mounted: the browser traps the focus and restores it. It opens before its fields'
// effects, which may move the focus. It closes before it is removed, so that the focus can be restored.
export function Dialog({ title, onClose, children, wide, insistent }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const shown = useRef(true);
  const id = useId();
  useLayoutEffect(() => {
    const dialog = element.current!;
    const before = document.activeElement as HTMLElement | null;
    dialog.showModal();
    dialogOpened(id);
    return () => {
      dialogClosed(id);
      shown.current = false;
      dialog.close();
      if (before?.isConnected) before.focus();
    };
  }, []);
  // Browsers close a dialog when Escape is pressed twice, even if `cancel` is prevented.
  const closed = () => {
    if (!shown.current) return;
    if (insistent) element.current!.showModal();
    else onClose();
  };
  return (
    <dialog
      ref={element}
      class={wide ? "dialog wide" : "dialog"}
      aria-labelledby={id}
      onKeyDown={(event) => event.key === "Escape" && insistent && event.preventDefault()}
      onCancel={(event) => {
        event.preventDefault();
        if (!insistent) onClose();
      }}
      onClose={closed}
    >
      <header>
        <h2 id={id}>{title}</h2>
        {!insistent && <Button kind="quiet" icon="close" label={t("close")} onClick={onClose} />}
      </header>
      {children}
      <Toasts dialog={id} />
    </dialog>
  );
}
