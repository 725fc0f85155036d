import { useState } from "preact/hooks";
import { type ApiError, api, type Result } from "../../app/api";
import { t } from "../../app/i18n";
import { askPasskey, passkeysWork } from "../../app/passkeys";
import { type SignIn, signedIn } from "../../app/session";
import { Button } from "../../components/button";
import { bound, FormBox, TextField, useForm } from "../../components/form";
import { AwayLine, Logo, Preferences } from "../../components/frame";
import { Page } from "../../components/page";
import { Note, Problem } from "../../components/states";
import type { ComponentChildren } from "preact";

const send = (body: object) => api.post<SignIn>("/api/v1/sign-ins", body, { ofAccount: true, plain: true });

// The ways to sign in, on the sign-in page and in the dialog after a sign-in has ended.
export function SignInForms({ done, email }: { done(signIn: SignIn): void; email?: string }) {
  const [error, setError] = useState<ApiError | null>(null);
  const [busy, setBusy] = useState(false);
  const [recovery, setRecovery] = useState(false);
  const form = useForm({
    initial: { email: email ?? "", password: "", totp: "", recoveryCode: "" },
    check: ({ email, password, totp, recoveryCode }) => ({
      ...(!email.trim() && { email: t("reason_required") }),
      ...(!password && { password: t("reason_required") }),
      ...(!recovery && !totp.trim() && { totp: t("reason_required") }),
      ...(recovery && !recoveryCode.trim() && { recoveryCode: t("reason_required") }),
    }),
    send: ({ email, password, totp, recoveryCode }) =>
      send({ email: email.trim(), password, ...(recovery ? { recoveryCode: recoveryCode.trim() } : { totp: totp.replace(/\s/g, "") }) }),
    done,
  });
  const byPasskey = async () => {
    setBusy(true);
    setError(null);
    const passkey = await askPasskey("sign_in");
    const result: Result<SignIn> = passkey.ok ? await send({ passkey: passkey.data }) : passkey;
    setBusy(false);
    if (result.ok) done(result.data);
    else setError(result.error);
  };
  return (
    <>
      {error && <Problem error={error} />}
      {passkeysWork() ? (
        <div class="way">
          <Button kind="primary" icon="key" busy={busy} onClick={() => void byPasskey()}>
            {t("signInPasskey")}
          </Button>
          <p class="soft small">{t("signInPasskeyHint")}</p>
        </div>
      ) : (
        <Note>{t("noPasskeys")}</Note>
      )}
      <p class="or">
        <span>{t("signInOr")}</span>
      </p>
      <FormBox form={form} label={t("byPassword")}>
        <TextField label={t("email")} type="email" autoComplete="username" {...bound(form, "email")} />
        <TextField label={t("password")} type="password" autoComplete="current-password" {...bound(form, "password")} />
        {recovery ? (
          <TextField key="recovery" label={t("recoveryCode")} autoComplete="off" {...bound(form, "recoveryCode")} />
        ) : (
          <TextField key="totp" label={t("totpCode")} inputMode="numeric" autoComplete="one-time-code" maxLength={7} {...bound(form, "totp")} />
        )}
        <Button type="submit" busy={form.busy}>
          {t("signIn")}
        </Button>
        <Button kind="quiet" onClick={() => setRecovery(!recovery)}>
          {t(recovery ? "useTotp" : "useRecovery")}
        </Button>
      </FormBox>
    </>
  );
}

// A page of one column for users who are not signed in.
export const Door = ({ title, lead, children }: { title: string; lead?: string; children: ComponentChildren }) => (
  <div class="door">
    <header class="door-head">
      <span class="brand">
        <Logo />
        <span class="brand-name">pixledger</span>
      </span>
    </header>
    <AwayLine />
    <main id="main" class="card">
      <Page title={title} lead={lead}>
        {children}
      </Page>
    </main>
    <footer>
      <Preferences />
    </footer>
  </div>
);

export const SignInPage = () => (
  <Door title={t("signIn")} lead={t("signInLead")}>
    <SignInForms done={signedIn} />
  </Door>
);
