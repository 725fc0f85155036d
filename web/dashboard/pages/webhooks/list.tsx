import { useState } from "preact/hooks";
import type { NotificationChannel } from "../../api_types";
import { t, tn } from "../../app/i18n";
import { useGet } from "../../app/resource";
import { navigate } from "../../app/router";
import { can, useSession } from "../../app/session";
import { Button } from "../../components/button";
import { LiveAlone } from "../../components/other_world";
import { Page, Section } from "../../components/page";
import { SecretOnce } from "../../components/secret_once";
import { Empty, Loaded, Note } from "../../components/states";
import { type Column, Pagination, Table } from "../../components/table";
import { Badge, Status, When } from "../../components/text";
import { ChannelForm } from "./channel_form";
import { channelsPath } from "./types";

export const Health = ({ channel }: { channel: NotificationChannel }) => {
  const { status, consecutiveFailures, disabledReason, lastSuccessAt, lastFailureAt } = channel.health;
  if (!channel.isActive) return <Badge tone={disabledReason ? "bad" : "calm"}>{t(disabledReason ? `whDisabled_${disabledReason}` : "whPaused")}</Badge>;
  if (status === "failing") return <Badge tone="bad">{tn("whFailing", consecutiveFailures ?? 0)}</Badge>;
  if (status === null || lastSuccessAt === null) return <Badge>{t(lastFailureAt ? "whNothingDelivered" : "whNothingYet")}</Badge>;
  return <Status of={status === "ok" ? "healthy" : status} />;
};

const columns: () => Column<NotificationChannel>[] = () => [
  {
    key: "name",
    head: t("webhook"),
    phone: "lead",
    cell: ({ id, name, url }) => (
      <span>
        <a href={`/webhooks/${id}`}>{name ?? new URL(url).host}</a>
        <span class="soft small block">{url}</span>
      </span>
    ),
  },
  { key: "health", head: t("whHealth"), phone: "marks", cell: (channel) => <Health channel={channel} /> },
  { key: "events", head: t("whEvents"), cell: ({ events }) => tn("whEventCount", events.length) },
  { key: "environments", head: t("whEnvironments"), cell: ({ environments }) => environments.map((each) => t(each)).join(", ") },
  {
    key: "version",
    head: t("version"),
    phone: "figure",
    cell: ({ webhookApiVersion }) => <Badge tone={webhookApiVersion === "v1" ? "warn" : "calm"}>{webhookApiVersion}</Badge>,
  },
  { key: "last", head: t("whLastSuccess"), phone: "below", cell: ({ health }) => (health.lastSuccessAt ? <When at={health.lastSuccessAt} ago /> : t("never")) },
];

// Channels of both environments, which send sandbox events and which the sandbox may not read.
function Shared({ channels }: { channels: NotificationChannel[] }) {
  return (
    <Section title={t("whShared")}>
      <LiveAlone why={t("whSharedWhy")} />
      <Table caption={t("whShared")} columns={columns()} rows={channels} rowKey={({ id }) => id} />
    </Section>
  );
}

export function WebhooksPage() {
  const inSandbox = useSession().environment === "sandbox";
  const all = useGet<NotificationChannel[]>(inSandbox ? channelsPath : null, { limit: 100 }, { environment: "live" });
  const shared = (all.data ?? []).filter(({ environments }) => environments.length > 1);
  const channels = useGet<NotificationChannel[]>(channelsPath, { limit: 100 });
  const [adding, setAdding] = useState(false);
  const [added, setAdded] = useState<{ id: string; secret: string } | null>(null);
  const add = can("write") && (
    <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
      {t("whAdd")}
    </Button>
  );
  return (
    <Page title={t("webhooks")} lead={t("whLead")} actions={add}>
      {!can("write") && <Note>{t("readOnly")}</Note>}
      <Section title={t("webhooks")} quiet>
        <Loaded of={channels}>
          {(rows) =>
            rows.length === 0 ? (
              <Empty title={t(shared.length > 0 ? "whNoneSandbox" : "whNone")}>{shared.length === 0 && <p>{t("whNoneWhy")}</p>}</Empty>
            ) : (
              <>
                <Table caption={t("webhooks")} columns={columns()} rows={rows} rowKey={({ id }) => id} busy={channels.loading} linked />
                {channels.meta && <Pagination meta={channels.meta} busy={channels.loading} />}
              </>
            )
          }
        </Loaded>
      </Section>
      {shared.length > 0 && <Shared channels={shared} />}
      {adding && (
        <ChannelForm
          onClose={() => setAdding(false)}
          done={(channel) => {
            setAdding(false);
            channels.reload();
            if ("secret" in channel) setAdded({ id: channel.id, secret: channel.secret });
          }}
        />
      )}
      {added && <SecretOnce title={t("whSecret")} secret={added.secret} why={t("whSecretOnce")} onClose={() => navigate(`/webhooks/${added.id}`)} />}
    </Page>
  );
}
