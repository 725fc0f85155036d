import type { ComponentChildren } from "preact";
import type { ApiKey, Stats, TransactionItemV1 } from "../../api_types";
import { t } from "../../app/i18n";
import { useGet } from "../../app/resource";
import { navigate } from "../../app/router";
import { can, setEnvironment, useSession } from "../../app/session";
import { Button, LinkButton } from "../../components/button";
import { Icon } from "../../components/icon";
import { Section } from "../../components/page";
import { Badge } from "../../components/text";

const newCharge = "/cobrancas/nova";

interface StepProps {
  title: string;
  why: string;
  done?: boolean;
  children?: ComponentChildren;
}

const Step = ({ title, why, done, children }: StepProps) => (
  <li class={done ? "done" : undefined}>
    <div>
      <h3>{title}</h3>
      <p class="soft">{why}</p>
    </div>
    {done ? (
      <Badge tone="good">
        <Icon name="check" /> {t("stepDone")}
      </Badge>
    ) : (
      children
    )}
  </li>
);

// Shown instead of figures that would all be zero: what a new store does first.
export function FirstSteps({ totals }: Pick<Stats, "totals">) {
  const { environment, store } = useSession();
  const live = environment === "live";
  const manages = can("manage");
  const tried = useGet<TransactionItemV1[]>(live ? "/api/v1/transactions" : null, { environment: "sandbox", limit: 1 });
  const keys = useGet<ApiKey[]>(manages ? "/api/v1/keys" : null, { limit: 1 }, { environment: "live" });
  const trySandbox = () => {
    setEnvironment("sandbox");
    navigate(newCharge);
  };
  return (
    <Section title={t("firstSteps")}>
      <ol class="steps">
        <Step title={t("stepSandbox")} why={t("stepSandboxWhy")} done={(tried.data?.length ?? 0) > 0}>
          {!can("write") ? null : live ? (
            <Button kind="primary" onClick={trySandbox}>
              {t("stepSandboxGo")}
            </Button>
          ) : (
            <LinkButton kind="primary" href={newCharge}>
              {t("newCharge")}
            </LinkButton>
          )}
        </Step>
        {manages && (
          <Step title={t("stepLook")} why={t("stepLookWhy")} done={Boolean(store?.logo || store?.color)}>
            <LinkButton href="/loja">{t("store")}</LinkButton>
          </Step>
        )}
        {manages && (
          <Step title={t("stepKey")} why={t("stepKeyWhy")} done={(keys.data?.length ?? 0) > 0}>
            <LinkButton href="/chaves">{t("keys")}</LinkButton>
          </Step>
        )}
        {can("write") && (
          <Step title={t("stepWebhook")} why={t("stepWebhookWhy")} done={totals.activeChannels > 0}>
            <LinkButton href="/webhooks">{t("webhooks")}</LinkButton>
          </Step>
        )}
        <Step title={t("stepLive")} why={t(store?.pixKey ? "stepLiveWhy" : "stepLiveNoKey")}>
          {live && store?.pixKey && can("write") && <LinkButton href={newCharge}>{t("newCharge")}</LinkButton>}
        </Step>
      </ol>
    </Section>
  );
}
