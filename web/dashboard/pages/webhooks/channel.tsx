import { useState } from "preact/hooks";
import type { ChannelStats, Delivery, NotificationChannel } from "../../api_types";
import { api } from "../../app/api";
import { errorText } from "../../app/errors";
import { t } from "../../app/i18n";
import { type Resource, useGet } from "../../app/resource";
import { navigate, type Parameters, usePlace } from "../../app/router";
import { can, useSession } from "../../app/session";
import { Button } from "../../components/button";
import { OtherWorld } from "../../components/other_world";
import { Page, Section } from "../../components/page";
import { SecretOnce } from "../../components/secret_once";
import { Loading, Note, Problem } from "../../components/states";
import { Badge, Facts, Id, When } from "../../components/text";
import { toast } from "../../components/toast";
import { DeleteChannel, MigrateChannel, PauseChannel, RecoverChannel, RotateSecret } from "./channel_acts";
import { ChannelForm } from "./channel_form";
import { DeliveryLog } from "./delivery_log";
import { Health } from "./list";
import { Stats } from "./stats";
import { channelsPath } from "./types";

type Act = "edit" | "rotate" | "delete" | "migrate" | "recover" | "pause";

function Settings({ channel }: { channel: NotificationChannel }) {
  const { lastSuccessAt, lastFailureAt } = channel.health;
  return (
    <Section title={t("whSettings")}>
      <Facts
        of={[
          [t("whUrl"), <code>{channel.url}</code>],
          [t("whHealth"), <Health channel={channel} />],
          [t("version"), <Badge tone={channel.webhookApiVersion === "v1" ? "warn" : "calm"}>{channel.webhookApiVersion}</Badge>],
          [t("whEnvironments"), channel.environments.map((each) => t(each)).join(", ")],
          [t("whSecret"), <code>whsec_…{channel.secretHint}</code>],
          [t("whLastSuccess"), lastSuccessAt && <When at={lastSuccessAt} />],
          [t("whLastFailure"), lastFailureAt && <When at={lastFailureAt} />],
          ["ID", <Id id={channel.id} />],
        ]}
      />
      <div>
        <h3>{t("whEvents")}</h3>
        <ul class="row bare">
          {channel.events.map((event) => (
            <li key={event}>
              <Badge>{t(`event_${event}`)}</Badge>
            </li>
          ))}
        </ul>
      </div>
    </Section>
  );
}

function Dialogs({ act, channel, onClose }: { act: Act; channel: Resource<NotificationChannel>; onClose(changed: boolean): void }) {
  const [secret, setSecret] = useState("");
  const now = channel.data!;
  const close = () => onClose(false);
  const changed = (next: NotificationChannel) => {
    channel.set(next);
    toast(t("saved"));
    onClose(true);
  };
  if (secret) return <SecretOnce title={t("whSecret")} secret={secret} why={t("whSecretOnce")} onClose={() => onClose(true)} />;
  if (act === "edit") return <ChannelForm channel={now} onClose={close} done={changed} />;
  if (act === "rotate") return <RotateSecret channel={now} onClose={close} done={setSecret} />;
  if (act === "migrate") return <MigrateChannel channel={now} onClose={close} done={changed} />;
  if (act === "pause") return <PauseChannel channel={now} onClose={close} done={changed} />;
  if (act === "recover") return <RecoverChannel channel={now} onClose={close} done={() => onClose(true)} />;
  return (
    <DeleteChannel
      channel={now}
      onClose={close}
      done={() => {
        toast(t("whDeleted"));
        navigate("/webhooks");
      }}
    />
  );
}

function Shown({ channel, resource }: { channel: NotificationChannel; resource: Resource<NotificationChannel> }) {
  const { query } = usePlace();
  const path = `${channelsPath}/${channel.id}`;
  const stats = useGet<ChannelStats>(`${path}/stats`);
  const deliveries = useGet<Delivery[]>(`${path}/deliveries`, { status: query.get("status"), page: query.get("page"), limit: 20 });
  const [act, setAct] = useState<Act | null>(null);
  const [busy, setBusy] = useState(false);
  const refresh = () => {
    deliveries.reload();
    stats.reload();
  };
  const attempt = async (call: ReturnType<typeof api.post>, said: string, done: () => void) => {
    setBusy(true);
    const result = await call;
    setBusy(false);
    if (!result.ok) return toast(errorText(result.error), "bad");
    toast(said);
    done();
  };
  const test = () => attempt(api.post<unknown>(`${path}/test`), t("whTesting"), refresh);
  const resume = () => attempt(api.patch<unknown>(path, { isActive: true }), t("whResumed"), resource.reload);
  const actions = can("write") && (
    <>
      <Button kind="primary" busy={busy} onClick={() => void test()}>
        {t("whTest")}
      </Button>
      <Button onClick={() => setAct("edit")}>{t("edit")}</Button>
      <Button onClick={() => setAct("recover")}>{t("whRecover")}</Button>
      <Button onClick={() => setAct("rotate")}>{t("whRotate")}</Button>
      <Button busy={busy} onClick={() => (channel.isActive ? setAct("pause") : void resume())}>
        {t(channel.isActive ? "whPause" : "whResume")}
      </Button>
      <Button kind="danger" onClick={() => setAct("delete")}>
        {t("remove")}
      </Button>
    </>
  );
  return (
    <Page title={channel.name ?? new URL(channel.url).host} above={{ href: "/webhooks", title: t("webhooks") }} aside={<Health channel={channel} />} actions={actions}>
      {!can("write") && <Note>{t("readOnly")}</Note>}
      {channel.webhookApiVersion === "v1" && (
        <Note tone="warn">
          <div class="note-act">
            <p>{t("whOldVersion")}</p>
            {can("write") && <Button onClick={() => setAct("migrate")}>{t("whMigrate")}</Button>}
          </div>
        </Note>
      )}
      <Settings channel={channel} />
      <Stats of={stats} />
      <DeliveryLog of={deliveries} ofBoth={channel.environments.length > 1} changed={refresh} />
      {act && (
        <Dialogs
          act={act}
          channel={resource}
          onClose={(changed) => {
            setAct(null);
            if (!changed) return;
            resource.reload();
            refresh();
          }}
        />
      )}
    </Page>
  );
}

export function ChannelPage({ parameters }: { parameters: Parameters }) {
  const inSandbox = useSession().environment === "sandbox";
  const channel = useGet<NotificationChannel>(`${channelsPath}/${encodeURIComponent(parameters.id ?? "")}`);
  const above = { href: "/webhooks", title: t("webhooks") };
  if (channel.data) return <Shown channel={channel.data} resource={channel} />;
  // A channel of production or of both environments, which the sandbox may not read.
  if (inSandbox && channel.error?.code === "ERR_AUTH_010") return <OtherWorld to="live" title={t("webhook")} above={above} />;
  return (
    <Page title={t("webhook")} above={above}>
      {channel.error ? <Problem error={channel.error} retry={channel.reload} /> : <Loading />}
    </Page>
  );
}
