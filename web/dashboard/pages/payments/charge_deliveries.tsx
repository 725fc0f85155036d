import { useState } from "preact/hooks";
import type { Delivery, NotificationChannel } from "../../api_types";
import { api, type ApiError } from "../../app/api";
import { t } from "../../app/i18n";
import { Button } from "../../components/button";
import { Section } from "../../components/page";
import { Loading, Problem } from "../../components/states";
import { Table } from "../../components/table";
import { Status, When } from "../../components/text";

type Row = Delivery & { channel: NotificationChannel };

const channelsMax = 20;

async function readDeliveries(id: string): Promise<Row[] | ApiError> {
  const channels = await api.get<NotificationChannel[]>("/api/v1/notification-channels", { limit: channelsMax });
  if (!channels.ok) return channels.error;
  const rows: Row[] = [];
  for (const channel of channels.data) {
    const list = await api.get<Delivery[]>(`/api/v1/notification-channels/${channel.id}/deliveries`, { transactionId: id, limit: 100 });
    if (!list.ok) return list.error;
    rows.push(...list.data.map((each) => ({ ...each, channel })));
  }
  return rows.sort((a, b) => b.createdAt.localeCompare(a.createdAt));
}

// Webhooks about one charge: asked for only when wanted, since the API lists them by channel.
export function ChargeDeliveries({ id }: { id: string }) {
  const [state, setState] = useState<"closed" | "loading" | Row[] | ApiError>("closed");
  const read = () => {
    setState("loading");
    void readDeliveries(id).then(setState);
  };
  return (
    <Section title={t("deliveries")} actions={state === "closed" && <Button onClick={read}>{t("deliveriesShow")}</Button>}>
      {state === "closed" ? null : state === "loading" ? (
        <Loading />
      ) : !Array.isArray(state) ? (
        <Problem error={state} retry={read} />
      ) : state.length === 0 ? (
        <p class="soft">{t("deliveriesNone")}</p>
      ) : (
        <Table<Row>
          caption={t("deliveries")}
          rows={state}
          rowKey={(each) => each.id}
          columns={[
            { key: "event", head: t("event"), cell: ({ event }) => <code>{event}</code> },
            { key: "channel", head: t("channel"), cell: ({ channel }) => <a href={`/webhooks/${channel.id}`}>{channel.name ?? channel.url}</a> },
            { key: "status", head: t("status"), cell: ({ status }) => <Status of={status} /> },
            { key: "attempts", head: t("attempts"), number: true, cell: ({ attempts }) => attempts.length },
            { key: "when", head: t("created"), cell: ({ createdAt }) => <When at={createdAt} /> },
          ]}
        />
      )}
    </Section>
  );
}
