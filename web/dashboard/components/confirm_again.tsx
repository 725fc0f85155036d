import { useEffect, useState } from "preact/hooks";
import { api, gates, type Result } from "../app/api";
import { t } from "../app/i18n";
import { askPasskey, passkeysWork } from "../app/passkeys";
import { useSession } from "../app/session";
import { createStore, useStore } from "../app/store";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { bound, FormBox, TextField, UsernameHint, useForm } from "./form";
import { Problem } from "./states";

// The calls that wait for a confirmation; one dialog serves all.
const waiting = createStore<((confirmed: boolean) => void)[]>([]);

gates.confirm = () => new Promise((resolve) => waiting.set([...waiting.get(), resolve]));

function end(confirmed: boolean): void {
  const all = waiting.get();
  waiting.set([]);
  for (const each of all) each(confirmed);
}

const confirm = (body: object): Promise<Result<unknown>> =>
  api.post<unknown>("/api/v1/sign-ins/current/confirm", body, { ofAccount: true, plain: true });

function ConfirmDialog() {
  const user = useSession().signIn?.user;
  const [error, setError] = useState<Extract<Result<unknown>, { ok: false }>["error"] | null>(null);
  const [busy, setBusy] = useState(false);
  const form = useForm({
    initial: { password: "", totp: "" },
    check: ({ password, totp }) => ({ ...(!password && { password: t("reason_required") }), ...(!totp.trim() && { totp: t("reason_required") }) }),
    send: ({ password, totp }) => confirm({ password, totp: totp.replace(/\s/g, "") }),
    done: () => end(true),
  });
  const byPasskey = async () => {
    setBusy(true);
    setError(null);
    const passkey = await askPasskey("confirm");
    const result = passkey.ok ? await confirm({ passkey: passkey.data }) : passkey;
    setBusy(false);
    if (result.ok) end(true);
    else setError(result.error);
  };
  return (
    <Dialog title={t("confirmAgain")} onClose={() => end(false)}>
      <p>{t("confirmAgainWhy")}</p>
      {error && <Problem error={error} />}
      {user?.hasPasskey && passkeysWork() && (
        <Button kind="primary" icon="key" busy={busy} onClick={() => void byPasskey()}>
          {t("usePasskey")}
        </Button>
      )}
      {user?.hasPassword && user.hasTotp && (
        <FormBox form={form} label={t("byPassword")}>
          <UsernameHint />
          <TextField label={t("password")} type="password" autoComplete="current-password" {...bound(form, "password")} />
          <TextField label={t("totpCode")} inputMode="numeric" autoComplete="one-time-code" maxLength={7} {...bound(form, "totp")} />
          <Button type="submit" kind={user.hasPasskey ? "plain" : "primary"} busy={form.busy}>
            {t("confirm")}
          </Button>
        </FormBox>
      )}
    </Dialog>
  );
}

// Asks for a credential when the API requires a confirmation, then lets the refused calls retry.
export function ConfirmAgain() {
  const wanted = useStore(waiting).length > 0;
  const { state } = useSession();
  // Without a sign-in there is nothing to confirm.
  useEffect(() => {
    if (state === "out") end(false);
  }, [state]);
  return wanted ? <ConfirmDialog /> : null;
}
