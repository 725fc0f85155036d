import { useState } from "preact/hooks";
import type { Receipt, Transaction } from "../../api_types";
import { useAct } from "../../app/act";
import { api, pathWith } from "../../app/api";
import { formatDocument, formatMoney, formatPhone, formatTime, momentOf } from "../../app/format";
import { t } from "../../app/i18n";
import { useLive } from "../../app/live";
import { useGet } from "../../app/resource";
import { navigate, type Parameters, usePlace, withQuery } from "../../app/router";
import { can } from "../../app/session";
import { save } from "../../app/save";
import { Button, LinkButton } from "../../components/button";
import { TextField } from "../../components/form";
import { Page, Section } from "../../components/page";
import { QrImage } from "../../components/qr_image";
import { Empty, Note, Problem } from "../../components/states";
import { CopyButton, Facts, Id, Money, When } from "../../components/text";
import { toast } from "../../components/toast";
import { CancelDialog, ConfirmPaymentDialog, RefundDialog } from "./charge_dialogs";
import { ChargeDeliveries } from "./charge_deliveries";
import { Added, Refunds, Unapplied } from "./charge_money";
import { ChargeState } from "./charge_state";
import { Elsewhere } from "./elsewhere";
import { leftOfPayments, recordsRefunds, refundable } from "./refundable";
import { Timeline } from "./timeline";

type Asking = "refund" | "cancel" | "confirm" | null;

function Actions({ charge, ask }: { charge: Transaction; ask(what: Asking): void }) {
  if (!can("write")) return null;
  const { status } = charge;
  const payable = status === "waiting_payment" || status === "processing";
  return (
    <>
      {(payable || status === "expired" || status === "cancelled") && <Button onClick={() => ask("confirm")}>{t("confirmPayment")}</Button>}
      {status === "waiting_payment" && (
        <Button kind="danger" onClick={() => ask("cancel")}>
          {t("cancelCharge")}
        </Button>
      )}
      {refundable(charge) > 0 ? (
        <Button kind="danger" onClick={() => ask("refund")}>
          {t("refund")}
        </Button>
      ) : (
        leftOfPayments(charge) > 0 && <span class="soft">{t("refundWindowOver")}</span>
      )}
    </>
  );
}

function Simulate({ charge, changed }: { charge: Transaction; changed(): void }) {
  const { busy, error, run } = useAct();
  if (charge.environment !== "sandbox" || !can("write") || !["waiting_payment", "processing"].includes(charge.status)) return null;
  const act = (what: "pay" | "expire" | "fail") =>
    run(
      () => api.post<unknown>(`/api/sandbox/transactions/${charge.id}/${what}`),
      () => {
        toast(t("sandboxDone"));
        changed();
      },
    );
  return (
    <Section title={t("sandboxTry")}>
      <p class="soft">{t("sandboxTryWhy")}</p>
      {error && <Problem error={error} />}
      <div class="row">
        <Button kind="primary" busy={busy} onClick={() => act("pay")}>
          {t("sandboxPay")}
        </Button>
        <Button busy={busy} onClick={() => act("expire")}>
          {t("sandboxExpire")}
        </Button>
        <Button busy={busy} onClick={() => act("fail")}>
          {t("sandboxFail")}
        </Button>
      </div>
    </Section>
  );
}

const PixCode = ({ code }: { code: string }) => (
  <Section title={t("pixCode")}>
    <QrImage text={code} label={t("pixQr")} />
    <div class="secret">
      <code>{code}</code>
      <CopyButton text={code} label={t("copy")} />
    </div>
  </Section>
);

function AsOf() {
  const [local, setLocal] = useState("");
  const at = local && momentOf(local);
  return (
    <Section title={t("asOfLabel")}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (at) navigate(withQuery({ asOf: at }));
        }}
      >
        <TextField label={t("asOfMoment")} hint={t("asOfHint")} type="datetime-local" name="asOf" value={local} onInput={setLocal} />
        <Button type="submit" disabled={!at}>
          {t("asOfShow")}
        </Button>
      </form>
    </Section>
  );
}

function ReceiptBox({ id }: { id: string }) {
  const { busy, error, run } = useAct();
  const get = () =>
    run(
      () => api.get<Receipt>(`/api/v1/transactions/${id}/receipt`),
      // The API's reply, as receipt checks expect it.
      (data) => save(new Blob([`${JSON.stringify({ success: true, data })}\n`], { type: "application/json" }), `receipt-${id}.json`),
    );
  return (
    <Section title={t("receipt")}>
      <p class="soft">{t("receiptHint")}</p>
      {error && <Problem error={error} />}
      <div>
        <Button icon="export" busy={busy} onClick={get}>
          {t("receiptGet")}
        </Button>
      </div>
    </Section>
  );
}

const Details = ({ charge }: { charge: Transaction }) => (
  <Section title={t("details")}>
    <Facts
      of={[
        [t("product"), charge.quantity > 1 ? `${charge.quantity} × ${charge.product}` : charge.product],
        [t("reference"), charge.externalId === charge.id ? null : charge.externalId],
        [t("created"), <When at={charge.createdAt} />],
        [t(new Date(charge.expirationDate) > new Date() ? "expires" : "expired"), <When at={charge.expirationDate} />],
        charge.paidAt && [t("paidAt"), <When at={charge.paidAt} />],
        charge.paidAmountCents !== null && [t("paidAmount"), <Money cents={charge.paidAmountCents} />],
        charge.feeCents != null && [t("fee"), <Money cents={charge.feeCents} />],
        charge.netCents != null && [t(charge.refundedAmountCents > 0 ? "netBefore" : "net"), <Money cents={charge.netCents} />],
        charge.refundedAmountCents > 0 && [t(charge.refunds.some(({ moved }) => moved === false) ? "refundRecordedAmount" : "refundedAmount"), <Money cents={charge.refundedAmountCents} />],
        charge.netCents != null && charge.refundedAmountCents > 0 && [t("leftAfter"), <Money cents={charge.netCents - charge.refundedAmountCents} />],
        charge.transactionCode && [t("endToEndId"), <Id id={charge.transactionCode} what={t("endToEndId")} />],
        ["ID", <Id id={charge.id} />],
        ...Object.entries(charge.metadata ?? {}).map(([key, value]) => [key, String(value)] as const),
      ]}
    />
  </Section>
);

const CustomerBox = ({ customer }: Pick<Transaction, "customer">) => (
  <Section title={t("customer")}>
    <Facts
      of={[
        [t("name"), <a href={`/clientes/${customer.id}`}>{customer.name}</a>],
        [t("document"), customer.document && formatDocument(customer.document)],
        [t("email"), customer.email],
        [t("phone"), customer.phone && formatPhone(customer.phone)],
      ]}
    />
  </Section>
);

interface ShownProps {
  charge: Transaction;
  asOf: string | null;
  turn: number;
  changed(next?: Transaction): void;
}

function Shown({ charge, asOf, turn, changed }: ShownProps) {
  const [asking, setAsking] = useState<Asking>(null);
  const dialog = { charge, done: changed, onClose: () => setAsking(null) };
  const then = asOf && (/^[0-9a-f]{32}$/.test(asOf) ? t("asOfEvent") : formatTime(/^\d{4}-\d{2}-\d{2}$/.test(asOf) ? `${asOf}T23:59:59.999Z` : asOf, "full"));
  return (
    <Page
      title={formatMoney(charge.amountCents)}
      above={{ href: "/cobrancas", title: t("charges") }}
      aside={<ChargeState of={charge} />}
      actions={!asOf && <Actions charge={charge} ask={setAsking} />}
      lead={
        <>
          <bdi>{charge.product}</bdi> · <bdi>{charge.customer.name}</bdi>
        </>
      }
    >
      {then && (
        <Note>
          <div class="row">
            <span>{t("asOfNote", { when: then })}</span>
            <LinkButton href={withQuery({ asOf: null })}>{t("asOfNow")}</LinkButton>
          </div>
        </Note>
      )}
      {!asOf && <Simulate charge={charge} changed={changed} />}
      <Unapplied charge={charge} changed={changed} locked={asOf !== null} />
      <Added payments={charge.addedPayments} />
      <div class="columns main">
        <div class="stack">
          <Details charge={charge} />
          <CustomerBox customer={charge.customer} />
          <Refunds refunds={charge.refunds} />
          <ChargeDeliveries id={charge.id} />
        </div>
        <div class="stack">
          {charge.status === "waiting_payment" && !asOf && <PixCode code={charge.pixCode} />}
          <Section title={t("timeline")}>
            <Timeline id={charge.id} turn={turn} recordsRefunds={recordsRefunds(charge)} asOfPath={(event) => withQuery({ asOf: event })} />
          </Section>
          <AsOf />
          <ReceiptBox id={charge.id} />
        </div>
      </div>
      {asking === "refund" && <RefundDialog {...dialog} />}
      {asking === "cancel" && <CancelDialog {...dialog} />}
      {asking === "confirm" && <ConfirmPaymentDialog {...dialog} />}
    </Page>
  );
}

export function ChargePage({ parameters }: { parameters: Parameters }) {
  const id = parameters.id!;
  const asOf = usePlace().query.get("asOf");
  // Another moment is another resource: the current state is never shown as an earlier one.
  const charge = useGet<Transaction>(pathWith(`/api/v1/transactions/${encodeURIComponent(id)}`, { asOf }));
  const [turn, setTurn] = useState(0);
  const changed = (next?: Transaction) => {
    if (next && !asOf) charge.set(next);
    else charge.reload();
    setTurn((last) => last + 1);
  };
  useLive(
    (events) => {
      if (events.some((event) => "transactionId" in event && event.transactionId === id)) changed();
    },
    { active: asOf === null },
  );
  const above = asOf ? { href: withQuery({ asOf: null }), title: t("asOfNow") } : { href: "/cobrancas", title: t("charges") };
  if (asOf && charge.error?.code === "ERR_TRANSACTION_001")
    return (
      <Page title={t("charge")} above={above}>
        <Empty title={t("asOfNotYet")} />
      </Page>
    );
  return (
    <Elsewhere of={charge} title={t("charge")} above={above}>
      {(data) => <Shown charge={data} asOf={asOf} turn={turn} changed={changed} />}
    </Elsewhere>
  );
}
