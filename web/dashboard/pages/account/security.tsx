import { useState } from "preact/hooks";
import type { ListedSignIn, NewRecoveryCodes, Passkey } from "../../api_types";
import { useAct } from "../../app/act";
import { api } from "../../app/api";
import { t, tn } from "../../app/i18n";
import { passkeysWork } from "../../app/passkeys";
import { readSession } from "../../app/read_session";
import { useGet } from "../../app/resource";
import { signedOut, useSession } from "../../app/session";
import { Button } from "../../components/button";
import { Ask } from "../../components/ask";
import { Dialog } from "../../components/dialog";
import { Page, Section } from "../../components/page";
import { Loaded, Note, Problem } from "../../components/states";
import { Table } from "../../components/table";
import { Badge, When } from "../../components/text";
import { toast } from "../../components/toast";
import { PasskeyForm, PasswordForm, RecoveryCodes, startTotp, TotpForm } from "./credentials";

const account = { ofAccount: true };

function Passkeys() {
  const list = useGet<Passkey[]>("/api/v1/me/passkeys", undefined, account);
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Passkey | null>(null);
  const changed = (text: string) => {
    toast(text);
    list.reload();
    void readSession();
  };
  return (
    <Section
      title={t("passkeys")}
      actions={
        passkeysWork() && (
          <Button icon="plus" onClick={() => setAdding(true)}>
            {t("passkeyAdd")}
          </Button>
        )
      }
    >
      {!passkeysWork() && <Note>{t("noPasskeys")}</Note>}
      <Loaded of={list}>
        {(passkeys) =>
          passkeys.length === 0 ? (
            <p class="soft">{t("passkeysNone")}</p>
          ) : (
            <Table
              caption={t("passkeys")}
              rows={passkeys}
              rowKey={({ id }) => id}
              columns={[
                { key: "name", head: t("passkeyName"), cell: ({ name }) => <span class="strong">{name}</span> },
                { key: "created", head: t("created"), cell: ({ createdAt }) => <When at={createdAt} /> },
                { key: "used", head: t("lastUsed"), cell: ({ lastUsedAt }) => (lastUsedAt ? <When at={lastUsedAt} ago /> : t("never")) },
                {
                  key: "acts",
                  head: t("actions"),
                  silent: true,
                  number: true,
                  cell: (each) => (
                    <Button kind="danger" label={`${t("remove")}: ${each.name}`} onClick={() => setRemoving(each)}>
                      {t("remove")}
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      {adding && (
        <Dialog title={t("passkeyAdd")} onClose={() => setAdding(false)}>
          <PasskeyForm
            done={() => {
              setAdding(false);
              changed(t("passkeyAdded"));
            }}
          />
        </Dialog>
      )}
      {removing && (
        <Ask
          title={t("remove")}
          action={t("remove")}
          danger
          run={() => api.remove<unknown>(`/api/v1/me/passkeys/${removing.id}`, account)}
          done={() => {
            setRemoving(null);
            changed(t("passkeyRemoved"));
          }}
          onClose={() => setRemoving(null)}
        >
          {t("passkeyRemoveWhy", { name: removing.name })}
        </Ask>
      )}
    </Section>
  );
}

type Step = { what: "password" } | { what: "totp"; secret: string; otpauthUrl: string } | { what: "codes"; codes: string[] } | { what: "off" } | { what: "renew" };

function PasswordAndCode() {
  const user = useSession().signIn!.user;
  const [step, setStep] = useState<Step | null>(null);
  const { busy, error, run } = useAct();
  const close = () => {
    setStep(null);
    void readSession();
  };
  return (
    <Section title={t("byPassword")}>
      {error && <Problem error={error} />}
      <dl class="settings">
        <div>
          <dt>{t("password")}</dt>
          <dd>{user.hasPassword ? <Badge tone="good">{t("passwordSet")}</Badge> : <Badge>{t("passwordNotSet")}</Badge>}</dd>
          <dd>
            <Button onClick={() => setStep({ what: "password" })}>{t(user.hasPassword ? "passwordChange" : "passwordCreate")}</Button>
          </dd>
        </div>
        <div>
          <dt>{t("totpSetup")}</dt>
          <dd>{user.hasTotp ? <Badge tone="good">{t("totpOn")}</Badge> : <Badge>{t("totpOff")}</Badge>}</dd>
          <dd>
            {user.hasTotp ? (
              <Button kind="danger" onClick={() => setStep({ what: "off" })}>
                {t("totpRemove")}
              </Button>
            ) : (
              <Button busy={busy} onClick={() => run(startTotp, (secret) => setStep({ what: "totp", ...secret }))}>
                {t("totpAdd")}
              </Button>
            )}
          </dd>
        </div>
        {user.hasTotp && (
          <div>
            <dt>{t("recoveryCodes")}</dt>
            <dd>
              <Badge tone={user.recoveryCodesLeft > 2 ? "good" : "warn"}>{tn("recoveryLeft", user.recoveryCodesLeft)}</Badge>
            </dd>
            <dd>
              <Button onClick={() => setStep({ what: "renew" })}>{t("recoveryNew")}</Button>
            </dd>
          </div>
        )}
      </dl>
      {step?.what === "password" && (
        <Dialog title={t("newPassword")} onClose={close}>
          <PasswordForm
            label={t("save")}
            done={() => {
              toast(t("passwordSaved"));
              close();
            }}
          />
        </Dialog>
      )}
      {step?.what === "totp" && (
        <Dialog title={t("totpSetup")} onClose={close}>
          <TotpForm secret={step} done={(codes) => setStep({ what: "codes", codes })} />
        </Dialog>
      )}
      {step?.what === "codes" && (
        <Dialog title={t("recoveryCodes")} onClose={close} insistent>
          <RecoveryCodes codes={step.codes} done={close} />
        </Dialog>
      )}
      {step?.what === "off" && (
        <Ask
          title={t("totpRemove")}
          action={t("totpRemove")}
          danger
          run={() => api.remove<unknown>("/api/v1/me/totp", account)}
          done={() => {
            toast(t("totpRemoved"));
            close();
          }}
          onClose={close}
        >
          {t("totpRemoveWhy")}
        </Ask>
      )}
      {step?.what === "renew" && (
        <Ask
          title={t("recoveryNew")}
          action={t("recoveryNew")}
          run={() => api.post<NewRecoveryCodes>("/api/v1/me/recovery-codes", {}, account)}
          done={({ recoveryCodes }) => setStep({ what: "codes", codes: recoveryCodes })}
          onClose={close}
        >
          {t("recoveryNewWhy")}
        </Ask>
      )}
    </Section>
  );
}

// A readable browser and system from a user agent.
export function deviceOf(agent: string): string {
  const browser = /Edg\//.test(agent) ? "Edge" : /OPR\//.test(agent) ? "Opera" : /Firefox\//.test(agent) ? "Firefox" : /Chrom/.test(agent) ? "Chrome" : /Safari\//.test(agent) ? "Safari" : agent.slice(0, 40);
  const system = /iPhone/.test(agent) ? "iPhone" : /iPad/.test(agent) ? "iPad" : /Android/.test(agent) ? "Android" : /Windows/.test(agent) ? "Windows" : /Mac OS X/.test(agent) ? "macOS" : /Linux/.test(agent) ? "Linux" : "";
  return system ? `${browser}, ${system}` : browser;
}

function SignIns() {
  const list = useGet<ListedSignIn[]>("/api/v1/sign-ins", undefined, account);
  const { error, run, busy } = useAct();
  const end = (each: ListedSignIn) =>
    run(
      () => api.remove<unknown>(`/api/v1/sign-ins/${each.id}`, account),
      () => {
        if (each.isCurrent) return signedOut();
        toast(t("signInEnded"));
        list.reload();
      },
    );
  return (
    <Section title={t("signIns")}>
      <p class="soft">{t("signInsLead")}</p>
      {error && <Problem error={error} />}
      <Loaded of={list}>
        {(signIns) => (
          <Table
            caption={t("signIns")}
            rows={signIns}
            rowKey={({ id }) => id}
            columns={[
              {
                key: "device",
                head: t("device"),
                cell: ({ userAgent, isCurrent }) => (
                  <span class="row">
                    <span class="strong">{deviceOf(userAgent)}</span> {isCurrent && <Badge tone="good">{t("thisOne")}</Badge>}
                  </span>
                ),
              },
              { key: "address", head: t("address"), cell: ({ address }) => address },
              { key: "method", head: t("method"), cell: ({ method }) => t(`method_${method}`) },
              { key: "since", head: t("since"), cell: ({ createdAt }) => <When at={createdAt} /> },
              { key: "seen", head: t("lastSeen"), cell: ({ lastSeenAt }) => <When at={lastSeenAt} ago /> },
              {
                key: "acts",
                head: t("actions"),
                silent: true,
                number: true,
                cell: (each) => (
                  <Button kind="danger" busy={busy} label={`${t("endSignIn")}: ${deviceOf(each.userAgent)}, ${each.address}`} onClick={() => end(each)}>
                    {t("endSignIn")}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

export const SecurityPage = () => (
  <Page title={t("security")} lead={t("securityLead")}>
    <Passkeys />
    <PasswordAndCode />
    <SignIns />
  </Page>
);
