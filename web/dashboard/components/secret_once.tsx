import { t } from "../app/i18n";
import { useAskBeforeLeaving } from "../app/leaving";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { Note } from "./states";
import { CopyButton } from "./text";

// A secret that is shown once: only its button closes the dialog, so that it is not lost by accident.
export function SecretOnce({ title, secret, why, onClose }: { title: string; secret: string; why: string; onClose(): void }) {
  useAskBeforeLeaving();
  return (
    <Dialog title={title} onClose={onClose} insistent>
      <Note tone="warn">{why}</Note>
      <div class="secret">
        <code data-secret>{secret}</code>
        <CopyButton text={secret} label={t("copy")} what={title} />
      </div>
      <div class="buttons">
        <Button kind="primary" onClick={onClose}>
          {t("secretKept")}
        </Button>
      </div>
    </Dialog>
  );
}
