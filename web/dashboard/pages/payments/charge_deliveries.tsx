import { useEffect, useRef, useState } from "preact/hooks";
import type { Delivery, NotificationChannel, TransactionHistoryEvent } from "../../api_types";
import { api, type ApiError, type CallOptions } from "../../app/api";
import { t, tOr } from "../../app/i18n";
import { Button } from "../../components/button";
import { Section } from "../../components/page";
import { Loading, Problem } from "../../components/states";
import { Table } from "../../components/table";
import { Status, When } from "../../components/text";
import { DeliveryDialog } from "../webhooks/delivery_log";

// A null `channel` is the webhook of the charge's checkout session.
type Row = Delivery & { channel: NotificationChannel | null };

const channelsMax = 20;

// Deliveries of the charge's checkout session; empty without one.
async function readOfSession(id: string, signal: AbortSignal): Promise<Row[] | ApiError> {
  const history = await api.get<TransactionHistoryEvent[]>(`/api/v1/transactions/${id}/events`, { limit: 1 }, { signal });
  if (!history.ok) return history.error;
  const [first] = history.data;
  const session = first?.event === "transaction.created" ? first.data.checkoutSessionId : undefined;
  if (!session) return [];
  const list = await api.get<Delivery[]>(`/api/v1/checkout/sessions/${session}/deliveries`, { transactionId: id, limit: 100 }, { signal });
  return list.ok ? list.data.map((each) => ({ ...each, channel: null })) : list.error;
}

async function readDeliveries(id: string, signal: AbortSignal): Promise<Row[] | ApiError> {
  // Channels of both environments get sandbox charges, but belong to production.
  const reach: CallOptions = { environment: "live", signal };
  const channels = await api.get<NotificationChannel[]>("/api/v1/notification-channels", { limit: channelsMax }, reach);
  if (!channels.ok) return channels.error;
  const rows = await readOfSession(id, signal);
  if (!Array.isArray(rows)) return rows;
  for (const channel of channels.data) {
    const list = await api.get<Delivery[]>(`/api/v1/notification-channels/${channel.id}/deliveries`, { transactionId: id, limit: 100 }, reach);
    if (!list.ok) return list.error;
    rows.push(...list.data.map((each) => ({ ...each, channel })));
  }
  return rows.sort((a, b) => b.createdAt.localeCompare(a.createdAt));
}

// A charge's webhooks, loaded on request, since the API lists them by channel.
export function ChargeDeliveries({ id }: { id: string }) {
  const [state, setState] = useState<"closed" | "loading" | Row[] | ApiError>("closed");
  const [opened, setOpened] = useState<string | null>(null);
  const leaving = useRef(new AbortController());
  useEffect(() => () => leaving.current.abort(), []);
  const read = () => {
    setState((last) => (Array.isArray(last) ? last : "loading"));
    void readDeliveries(id, leaving.current.signal).then((found) => !leaving.current.signal.aborted && setState(found));
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
            {
              key: "event",
              head: t("event"),
              cell: ({ id, event, channel }) => {
                const name = tOr(`event_${event}`, event);
                return channel ? <a href={`/webhooks/${channel.id}?entrega=${id}`}>{name}</a> : <Button kind="quiet" onClick={() => setOpened(id)}>{name}</Button>;
              },
            },
            { key: "channel", head: t("webhook"), cell: ({ channel }) => (channel ? <a href={`/webhooks/${channel.id}`}>{channel.name ?? channel.url}</a> : t("deliveriesOfSession")) },
            { key: "status", head: t("status"), cell: ({ status }) => <Status of={status} /> },
            { key: "attempts", head: t("attempts"), number: true, cell: ({ attempts }) => attempts.length },
            { key: "when", head: t("created"), cell: ({ createdAt }) => <When at={createdAt} /> },
          ]}
        />
      )}
      {opened && <DeliveryDialog key={opened} id={opened} changed={read} onClose={() => setOpened(null)} />}
    </Section>
  );
}
