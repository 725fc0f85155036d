import { useEffect, useState } from "preact/hooks";
import type { AnsweredAttempt, Delivery, DeliveryDetail, SentRequest } from "../../api_types";
import { api } from "../../app/api";
import { errorText } from "../../app/errors";
import { formatNumber } from "../../app/format";
import { t, tOr } from "../../app/i18n";
import { type Resource, useGet } from "../../app/resource";
import { navigate, usePlace, withQuery } from "../../app/router";
import { can } from "../../app/session";
import { Button } from "../../components/button";
import { Dialog } from "../../components/dialog";
import { SelectField } from "../../components/form";
import { Section } from "../../components/page";
import { Empty, Loaded } from "../../components/states";
import { Pagination, Table } from "../../components/table";
import { Facts, Id, Status, When } from "../../components/text";
import { toast } from "../../components/toast";

const statuses = ["pending", "delivered", "failed", "exhausted"] as const;

async function redeliver(id: string, done: () => void): Promise<void> {
  const result = await api.post<unknown>(`/api/v1/deliveries/${id}/redeliver`);
  if (!result.ok) return toast(errorText(result.error), "bad");
  toast(t("whRedelivering"));
  done();
}

function Redeliver({ id, done }: { id: string; done: () => void }) {
  const [busy, setBusy] = useState(false);
  if (!can("write")) return null;
  return (
    <Button
      busy={busy}
      onClick={async () => {
        setBusy(true);
        await redeliver(id, done);
        setBusy(false);
      }}
    >
      {t("whRedeliver")}
    </Button>
  );
}

// The receiver's responses, by attempt.
const Answers = ({ attempts }: { attempts: AnsweredAttempt[] }) => (
  <>
    {attempts
      .filter(({ httpStatus }) => httpStatus !== null)
      .map(({ number, httpStatus, response }) => (
        <div key={number}>
          <h3>{t("whAnswerTo", { n: number, status: httpStatus ?? "" })}</h3>
          {response ? (
            <pre tabIndex={0} role="group" aria-label={t("whAnswerTo", { n: number, status: httpStatus ?? "" })} data-response>
              {inLines(response) ?? response}
            </pre>
          ) : (
            <p class="soft">{t(response === null ? "whMasked" : "whAnswerEmpty")}</p>
          )}
        </div>
      ))}
  </>
);

const Attempts = ({ attempts }: { attempts: AnsweredAttempt[] }) => (
  <Table
    caption={t("whAttempts")}
    rows={attempts}
    rowKey={({ number }) => String(number)}
    columns={[
      { key: "number", head: "#", cell: ({ number }) => number },
      { key: "at", head: t("when"), cell: ({ at }) => <When at={at} style="full" /> },
      { key: "status", head: t("whHttpStatus"), cell: ({ httpStatus }) => httpStatus ?? t("noAnswer") },
      { key: "latency", head: t("whLatency"), number: true, cell: ({ latencyMs }) => `${formatNumber(latencyMs)} ms` },
      { key: "error", head: t("whError"), cell: ({ error }) => (error ? <code>{error}</code> : "—") },
    ]}
  />
);

// JSON in lines; null for anything else.
function inLines(text: string | null): string | null {
  try {
    return text === null ? null : JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return null;
  }
}

const Body = ({ text }: { text: string | null }) => (
  <pre tabIndex={0} role="group" aria-label={t("whSentBody")} data-sent-body>
    {text ?? t("whMasked")}
  </pre>
);

// The body in lines, and the exact text, which the signature covers.
const Sent = ({ request }: { request: SentRequest }) => (
  <>
    <h3>{t("whSent")}</h3>
    <p>
      <code>POST {request.url}</code>
    </p>
    <pre tabIndex={0} role="group" aria-label={t("whSentHeaders")}>
      {Object.entries(request.headers)
        .map(([name, value]) => `${name}: ${value}`)
        .join("\n")}
    </pre>
    {inLines(request.body) === null ? (
      <Body text={request.body} />
    ) : (
      <>
        <pre tabIndex={0} role="group" aria-label={t("whSentFormatted")} data-formatted>
          {inLines(request.body)}
        </pre>
        <details>
          <summary>{t("whSentBody")}</summary>
          <Body text={request.body} />
        </details>
      </>
    )}
  </>
);

export function DeliveryDialog({ id, onClose, changed }: { id: string; onClose(): void; changed(): void }) {
  const detail = useGet<DeliveryDetail>(`/api/v1/deliveries/${encodeURIComponent(id)}`);
  return (
    <Dialog title={t("whDelivery")} onClose={onClose} wide>
      <Loaded of={detail} lines={6}>
        {({ event, environment, status, transactionId, externalId, nextAttemptAt, attempts, request }) => (
          <>
            <Facts
              of={[
                ["ID", <Id id={id} />],
                [t("whEvent"), tOr(`event_${event}`, event)],
                [t("environment"), t(environment)],
                [t("status"), <Status of={status} />],
                externalId !== null && externalId !== transactionId && [t("whOrder"), externalId],
                transactionId !== null && [t("charge"), <a href={`/cobrancas/${transactionId}`}>{transactionId}</a>],
                nextAttemptAt !== null && [t("whNextAttempt"), <When at={nextAttemptAt} style="full" />],
              ]}
            />
            <div class="actions">
              <Redeliver
                id={id}
                done={() => {
                  detail.reload();
                  changed();
                }}
              />
            </div>
            {attempts.length > 0 && <Attempts attempts={attempts} />}
            <Answers attempts={attempts} />
            <Sent request={request} />
          </>
        )}
      </Loaded>
    </Dialog>
  );
}

const lastAnswer = ({ attempts }: Delivery) => {
  const last = attempts.at(-1);
  return last ? (last.httpStatus ?? t("noAnswer")) : "—";
};

// Reloads while deliveries are pending.
function useFreshness(deliveries: Resource<Delivery[]>): void {
  const isPending = deliveries.data?.some(({ status, nextAttemptAt }) => status === "pending" && (!nextAttemptAt || Date.parse(nextAttemptAt) < Date.now() + 5000));
  useEffect(() => {
    if (!isPending || deliveries.loading) return;
    const timer = setTimeout(deliveries.reload, 2000);
    return () => clearTimeout(timer);
  }, [isPending, deliveries.loading]);
}

// `ofBoth`: the channel subscribes to both environments.
export function DeliveryLog({ of, ofBoth, changed }: { of: Resource<Delivery[]>; ofBoth: boolean; changed(): void }) {
  const { query } = usePlace();
  const opened = query.get("entrega");
  useFreshness(of);
  return (
    <Section title={t("whLog")}>
      {ofBoth && <p class="soft">{t("whLogOfBoth")}</p>}
      <div class="narrow">
        <SelectField
          name="status"
          label={t("status")}
          value={query.get("status") ?? ""}
          onInput={(status) => navigate(withQuery({ status }))}
          choices={[["", t("any")], ...statuses.map((each) => [each, t(`status_${each}`)] as const)]}
        />
      </div>
      <Loaded of={of}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title={t("whLogNone")} />
          ) : (
            <>
              <Table
                caption={t("whLog")}
                busy={of.loading}
                rows={rows}
                rowKey={({ id }) => id}
                linked
                columns={[
                  {
                    key: "event",
                    head: t("whEvent"),
                    phone: "lead",
                    cell: ({ id, event, environment }) => (
                      <span>
                        <a href={withQuery({ entrega: id, page: query.get("page") })}>{tOr(`event_${event}`, event)}</a>
                        {ofBoth && <span class="soft small block">{t(environment)}</span>}
                      </span>
                    ),
                  },
                  { key: "order", head: t("whOrder"), cell: ({ externalId, transactionId }) => (externalId === null || externalId === transactionId ? <span class="soft">—</span> : externalId) },
                  { key: "status", head: t("status"), phone: "marks", cell: ({ status }) => <Status of={status} /> },
                  { key: "answer", head: t("whAnswer"), cell: lastAnswer },
                  { key: "attempts", head: t("whAttempts"), number: true, cell: ({ attempts }) => attempts.length },
                  { key: "at", head: t("created"), phone: "below", cell: ({ createdAt }) => <When at={createdAt} style="brief" /> },
                  { key: "act", head: t("actions"), silent: true, phone: "figure", cell: ({ id, status }) => status !== "pending" && <Redeliver id={id} done={changed} /> },
                ]}
              />
              {of.meta && <Pagination meta={of.meta} busy={of.loading} />}
            </>
          )
        }
      </Loaded>
      {opened && <DeliveryDialog key={opened} id={opened} changed={changed} onClose={() => navigate(withQuery({ entrega: null, page: query.get("page") }))} />}
    </Section>
  );
}
