import type { EnabledTotp, TotpSecret } from "../../api_types";
import { api } from "../../app/api";
import { t } from "../../app/i18n";
import { useAskBeforeLeaving } from "../../app/leaving";
import { addPasskey } from "../../app/passkeys";
import { save } from "../../app/save";
import { Button, LinkButton } from "../../components/button";
import { bound, FormBox, TextField, UsernameHint, useForm } from "../../components/form";
import { QrImage } from "../../components/qr_image";
import { Note } from "../../components/states";
import { CopyButton } from "../../components/text";

const account = { ofAccount: true };

// Forms that set up credentials: after an invitation, and on the security page.

export function PasskeyForm({ done }: { done(): void }) {
  const form = useForm({
    initial: { name: t("passkeyDefault") },
    check: ({ name }): Record<string, string> => (name.trim() ? {} : { name: t("reason_required") }),
    send: ({ name }) => addPasskey(name.trim()),
    done,
  });
  return (
    <FormBox form={form} label={t("byPasskey")}>
      <TextField label={t("passkeyName")} hint={t("passkeyNameHint")} maxLength={64} {...bound(form, "name")} />
      <Button type="submit" kind="primary" icon="key" busy={form.busy}>
        {t("createPasskey")}
      </Button>
    </FormBox>
  );
}

export function PasswordForm({ done, label }: { done(): void; label?: string }) {
  const form = useForm({
    initial: { password: "" },
    check: ({ password }): Record<string, string> => (password.length >= 12 ? {} : { password: t("passwordShort") }),
    send: ({ password }) => api.post<unknown>("/api/v1/me/password", { password }, account),
    done: () => {
      form.reset();
      done();
    },
  });
  return (
    <FormBox form={form} label={t("byPassword")}>
      <UsernameHint />
      <TextField label={t("newPassword")} hint={t("passwordHint")} type="password" autoComplete="new-password" maxLength={200} {...bound(form, "password")} />
      <Button type="submit" kind={label ? "plain" : "primary"} busy={form.busy}>
        {label ?? t("continue")}
      </Button>
    </FormBox>
  );
}

export const startTotp = () => api.post<TotpSecret>("/api/v1/me/totp", {}, account);

export function TotpForm({ secret, done }: { secret: TotpSecret; done(recoveryCodes: string[]): void }) {
  const form = useForm({
    initial: { code: "" },
    check: ({ code }): Record<string, string> => (/^\d{6}$/.test(code.replace(/\s/g, "")) ? {} : { code: t("totpCode") }),
    send: ({ code }) => api.post<EnabledTotp>("/api/v1/me/totp", { code: code.replace(/\s/g, "") }, account),
    done: ({ recoveryCodes }) => done(recoveryCodes),
  });
  return (
    <FormBox form={form} label={t("totpSetup")}>
      <p>{t("totpScan")}</p>
      <QrImage text={secret.otpauthUrl} label={t("totpQr")} />
      <LinkButton href={secret.otpauthUrl} icon="link">
        {t("totpOpen")}
      </LinkButton>
      <div>
        <p class="soft small">{t("totpSecret")}</p>
        <div class="secret">
          <code>{secret.secret.replace(/(.{4})(?=.)/g, "$1 ")}</code>
          <CopyButton text={secret.secret} label={t("copy")} />
        </div>
      </div>
      <TextField label={t("totpCode")} hint={t("totpEnter")} inputMode="numeric" autoComplete="one-time-code" maxLength={7} {...bound(form, "code")} />
      <Button type="submit" kind="primary" busy={form.busy}>
        {t("confirm")}
      </Button>
    </FormBox>
  );
}

// Shown once.
export function RecoveryCodes({ codes, done }: { codes: string[]; done(): void }) {
  useAskBeforeLeaving();
  return (
    <div class="stack">
      <Note tone="warn">{t("recoveryOnce")}</Note>
      <ul class="codes" aria-label={t("recoveryCodes")}>
        {codes.map((each) => (
          <li key={each}>
            <code>{each}</code>
          </li>
        ))}
      </ul>
      <div class="row">
        <CopyButton text={codes.join("\n")} label={t("recoveryCopy")} />
        <Button icon="export" onClick={() => save(new Blob([`${codes.join("\n")}\n`]), "pixledger-recovery-codes.txt")}>
          {t("recoveryDownload")}
        </Button>
      </div>
      <div class="buttons">
        <Button kind="primary" onClick={done}>
          {t("recoverySaved")}
        </Button>
      </div>
    </div>
  );
}
