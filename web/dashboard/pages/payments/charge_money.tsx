import { useState } from "preact/hooks";
import type { AddedPayment, Refund, Transaction, UnappliedPayment } from "../../api_types";
import { api } from "../../app/api";
import { formatMoney } from "../../app/format";
import { t, tOr } from "../../app/i18n";
import { can } from "../../app/session";
import { Button } from "../../components/button";
import { Ask } from "../../components/ask";
import { Dialog } from "../../components/dialog";
import { bound, FormBox, TextField, useForm } from "../../components/form";
import { Section } from "../../components/page";
import { Note } from "../../components/states";
import { Table } from "../../components/table";
import { Id, Money, Status, When } from "../../components/text";
import { toast } from "../../components/toast";
import { isRefundWindowOver, recordsRefunds } from "./refundable";

interface SettleProps {
  charge: Transaction;
  payment: UnappliedPayment;
  done(next: Transaction): void;
  onClose(): void;
}

function ReturnDialog({ charge, payment, done, onClose }: SettleProps) {
  const isRecord = recordsRefunds(charge);
  const form = useForm({
    initial: { reason: "" },
    send: ({ reason }, idempotencyKey) =>
      api.post<Transaction>(`/api/v1/payments/${payment.endToEndId}/return`, reason.trim() ? { reason: reason.trim() } : {}, { idempotencyKey }),
    done: (next) => {
      onClose();
      toast(t(isRecord ? "givenBack" : "givenBackAsked"));
      done(next);
    },
  });
  return (
    <Dialog title={t("giveBackTitle")} onClose={onClose}>
      <p>{t(!isRecord ? "giveBackWhy" : charge.environment === "sandbox" ? "giveBackSandboxWhy" : "giveBackRecordWhy", { amount: formatMoney(payment.amountCents) })}</p>
      <FormBox form={form} label={t("giveBackTitle")}>
        <TextField label={t("reason")} optional maxLength={255} {...bound(form, "reason")} />
        <div class="buttons">
          <Button onClick={onClose}>{t("cancel")}</Button>
          <Button type="submit" kind="danger" busy={form.busy}>
            {t("giveBack")}
          </Button>
        </div>
      </FormBox>
    </Dialog>
  );
}

// Payments that did not pay the charge and are not settled.
export function Unapplied({ charge, changed, locked }: { charge: Transaction; changed(next: Transaction): void; locked: boolean }) {
  const payments = charge.unappliedPayments;
  const [asking, setAsking] = useState<{ what: "accept" | "return"; payment: UnappliedPayment } | null>(null);
  if (!payments.length) return null;
  const open = payments.some(({ returnedAt, isReturning }) => !returnedAt && !isReturning);
  // A charge has one payment.
  const isPaid = charge.paidAmountCents !== null;
  const close = () => setAsking(null);
  return (
    <Section title={t("unappliedTitle")}>
      {open && <Note tone="warn">{t(isPaid ? "unappliedPaidWhy" : "unappliedWhy")}</Note>}
      <Table<UnappliedPayment>
        caption={t("unappliedTitle")}
        rows={payments}
        rowKey={({ endToEndId }) => endToEndId}
        columns={[
          { key: "amount", head: t("amount"), cell: ({ amountCents }) => <Money cents={amountCents} /> },
          { key: "why", head: t("reason"), cell: ({ flag }) => tOr(`flag_${flag}`, flag) },
          { key: "paid", head: t("paidWhen"), cell: ({ paidAt }) => <When at={paidAt} /> },
          { key: "id", head: t("endToEndId"), cell: ({ endToEndId }) => <Id id={endToEndId} what={t("endToEndId")} /> },
          {
            key: "acts",
            head: t("actions"),
            silent: true,
            number: true,
            cell: (payment) =>
              payment.returnedAt ? (
                <>
                  {t("returnedAt")} <When at={payment.returnedAt} />
                </>
              ) : payment.isReturning ? (
                <span class="soft">{t("isReturning")}</span>
              ) : (
                can("write") &&
                !locked && (
                  <span class="row end">
                    {!isPaid && (
                      <Button kind="primary" onClick={() => setAsking({ what: "accept", payment })}>
                        {t("accept")}
                      </Button>
                    )}
                    {!recordsRefunds(charge) && isRefundWindowOver(payment.paidAt) ? (
                      <span class="soft">{t("refundWindowOver")}</span>
                    ) : (
                      <Button kind="danger" onClick={() => setAsking({ what: "return", payment })}>
                        {t("giveBack")}
                      </Button>
                    )}
                  </span>
                )
              ),
          },
        ]}
      />
      {asking?.what === "accept" && (
        <Ask
          title={t("acceptTitle")}
          action={t("accept")}
          run={(idempotencyKey) => api.post<Transaction>(`/api/v1/payments/${asking.payment.endToEndId}/accept`, {}, { idempotencyKey })}
          onClose={close}
          done={(next) => {
            close();
            toast(t("accepted"));
            changed(next);
          }}
        >
          {t("acceptWhy", { amount: formatMoney(asking.payment.amountCents) })}
        </Ask>
      )}
      {asking?.what === "return" && <ReturnDialog charge={charge} payment={asking.payment} done={changed} onClose={close} />}
    </Section>
  );
}

// Payments that count in addition to the first one.
export const Added = ({ payments }: { payments?: AddedPayment[] }) =>
  payments?.length ? (
    <Section title={t("addedTitle")}>
      <Note>{t("addedWhy")}</Note>
      <Table<AddedPayment>
        caption={t("addedTitle")}
        rows={payments}
        rowKey={({ endToEndId }) => endToEndId}
        columns={[
          { key: "amount", head: t("amount"), cell: ({ amountCents }) => <Money cents={amountCents} /> },
          { key: "paid", head: t("paidWhen"), cell: ({ paidAt }) => <When at={paidAt} /> },
          { key: "id", head: t("endToEndId"), cell: ({ endToEndId }) => <Id id={endToEndId} what={t("endToEndId")} /> },
        ]}
      />
    </Section>
  ) : null;

export const Refunds = ({ refunds }: { refunds: Refund[] }) =>
  refunds.length > 0 ? (
    <Section title={t("refunds")}>
      <Table<Refund>
        caption={t("refunds")}
        rows={refunds}
        rowKey={({ id, endToEndId }) => `${endToEndId ?? ""}/${id}`}
        columns={[
          { key: "amount", head: t("amount"), cell: ({ amountCents }) => <Money cents={amountCents} /> },
          { key: "status", head: t("status"), cell: ({ status, moved }) => (
            <span>
              <Status of={status} />
              <span class="soft small block">{t(moved === false ? "refundNotMoved" : "refundMoved")}</span>
            </span>
          ) },
          { key: "when", head: t("created"), cell: ({ requestedAt, origin }) => (
            <>
              <When at={requestedAt} /> <span class="soft">{t(`refundOrigin_${origin}`)}</span>
            </>
          ) },
          { key: "reason", head: t("reason"), cell: ({ reason }) => reason ?? "—" },
        ]}
      />
    </Section>
  ) : null;
