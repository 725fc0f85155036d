import { useEffect } from "preact/hooks";
import { gates } from "../../app/api";
import { t } from "../../app/i18n";
import { forgetDrafts, type SignIn, session, signedIn, signedOut, useSession } from "../../app/session";
import { Button } from "../../components/button";
import { Dialog } from "../../components/dialog";
import { SignInForms } from "./sign_in";

// The calls that wait for a new sign-in.
let waiting: ((signedIn: boolean) => void)[] = [];

gates.signIn = () => (session.get().state === "ended" ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(false));

function end(signedIn: boolean): void {
  const all = waiting;
  waiting = [];
  for (const each of all) each(signedIn);
}

// Above the page, which keeps its state and input.
export function SignInAgain() {
  const { state, signIn } = useSession();
  useEffect(() => {
    if (state === "out") end(false);
  }, [state]);
  if (state !== "ended") return null;
  const done = (next: SignIn) => {
    // Another user must not see the page.
    if (signIn && next.user.id !== signIn.user.id) {
      forgetDrafts();
      return location.assign("/");
    }
    signedIn(next);
    end(true);
  };
  return (
    <Dialog title={t("sessionEnded")} onClose={() => {}} insistent>
      <p>{t("sessionEndedWhy")}</p>
      <SignInForms done={done} email={signIn?.user.email} />
      <Button kind="quiet" icon="out" onClick={signedOut}>
        {t("signOut")}
      </Button>
    </Dialog>
  );
}
