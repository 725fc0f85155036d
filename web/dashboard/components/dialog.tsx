import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { t } from "../app/i18n";
import { Button } from "./button";

export interface DialogProps {
  title: string;
  onClose(): void;
  children: ComponentChildren;
  wide?: boolean;
  // Without a way to close it but what it holds.
  insistent?: boolean;
}

// A native dialog, open while it is rendered: the browser keeps the focus inside, and gives it back.
export function Dialog({ title, onClose, children, wide, insistent }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current!;
    const before = document.activeElement as HTMLElement | null;
    dialog.showModal();
    return () => {
      dialog.close();
      if (before?.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={wide ? "dialog wide" : "dialog"}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (!insistent) onClose();
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        {!insistent && <Button kind="quiet" icon="close" label={t("close")} onClick={onClose} />}
      </header>
      {children}
    </dialog>
  );
}
