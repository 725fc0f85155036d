import { useState } from "preact/hooks";
import { useAct } from "../../app/act";
import { api } from "../../app/api";
import { t } from "../../app/i18n";
import { passkeysWork } from "../../app/passkeys";
import { readSession } from "../../app/read_session";
import { navigate } from "../../app/router";
import { type SignIn, signedIn } from "../../app/session";
import { Button } from "../../components/button";
import { Note, Problem } from "../../components/states";
import { PasskeyForm, PasswordForm, RecoveryCodes, startTotp, TotpForm } from "./credentials";
import { Door } from "./sign_in";

// Accepted only on request: it works once, and link previews would use it up.
function Accept({ token }: { token: string }) {
  const { busy, error, run } = useAct();
  const accept = () =>
    run(
      () => api.post<SignIn>("/api/v1/sign-ins", { invitation: token }, { ofAccount: true, plain: true }),
      (signIn) => {
        // Removes the token from the URL and the browser's history.
        navigate("/", { replace: true });
        signedIn(signIn);
      },
    );
  if (error?.status === 401)
    return (
      <Door title={t("invitationGone")}>
        <Note tone="warn">{t("invitationGoneWhy")}</Note>
        <a href="/entrar">{t("signIn")}</a>
      </Door>
    );
  return (
    <Door title={t("invitation")} lead={t("invitationOpenWhy")}>
      {error && <Problem error={error} />}
      <Button kind="primary" busy={busy} onClick={accept}>
        {t("invitationOpen")}
      </Button>
    </Door>
  );
}

function Setup() {
  const [secret, setSecret] = useState<{ secret: string; otpauthUrl: string } | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const { error, run } = useAct();
  if (codes)
    return (
      <Door title={t("recoveryCodes")}>
        <RecoveryCodes codes={codes} done={() => void readSession()} />
      </Door>
    );
  if (secret)
    return (
      <Door title={t("totpSetup")}>
        <TotpForm secret={secret} done={setCodes} />
      </Door>
    );
  return (
    <Door title={t("invitation")} lead={t("invitationLead")}>
      {error && <Problem error={error} />}
      {passkeysWork() && (
        <>
          <section class="stack" aria-labelledby="by-passkey">
            <h2 id="by-passkey">{t("byPasskey")}</h2>
            <p class="soft">{t("byPasskeyWhy")}</p>
            <PasskeyForm done={() => void readSession()} />
          </section>
          <p class="or">
            <span>{t("signInOr")}</span>
          </p>
        </>
      )}
      <section class="stack" aria-labelledby="by-password">
        <h2 id="by-password">{t("byPassword")}</h2>
        <p class="soft">{t("byPasswordWhy")}</p>
        <PasswordForm done={() => run(startTotp, setSecret)} />
      </section>
    </Door>
  );
}

export const Invitation = ({ token }: { token: string | null }) => (token ? <Accept token={token} /> : <Setup />);
