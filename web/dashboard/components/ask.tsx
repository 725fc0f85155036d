import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { useAct } from "../app/act";
import { mayHaveHappened, randomId, type Result } from "../app/api";
import { t } from "../app/i18n";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { Problem } from "./states";

export interface AskProps<T> {
  title: string;
  action: string;
  danger?: boolean;
  wide?: boolean;
  // The reply is shown only once, so it is waited for.
  once?: boolean;
  // `key`: the Idempotency-Key, kept while the dialog is open, unless the act was refused.
  run(key: string): Promise<Result<T>>;
  done(data: T): void;
  onClose(): void;
  children: ComponentChildren;
}

// A dialog before an act that is hard to undo. Shows a refusal.
export function Ask<T>({ title, action, danger, wide, once, run, done, onClose, children }: AskProps<T>) {
  const { busy, error, run: act } = useAct();
  const key = useRef(randomId());
  const ask = async () => {
    const result = await run(key.current);
    if (!result.ok && !mayHaveHappened(result.error)) key.current = randomId();
    return result;
  };
  return (
    <Dialog title={title} wide={wide} insistent={once && busy} onClose={onClose}>
      {error && <Problem error={error} />}
      {children}
      <div class="buttons">
        <Button disabled={once && busy} onClick={onClose}>
          {t("cancel")}
        </Button>
        <Button kind={danger ? "danger" : "primary"} busy={busy} onClick={() => act(ask, done)}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
