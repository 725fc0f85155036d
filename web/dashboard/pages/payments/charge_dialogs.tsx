import type { ConfirmedTransaction, Transaction } from "../../api_types";
import { api } from "../../app/api";
import { formatMoney, moneyText, momentOf, parseMoney } from "../../app/format";
import { t } from "../../app/i18n";
import { Button } from "../../components/button";
import { Ask } from "../../components/ask";
import { Dialog } from "../../components/dialog";
import { bound, FormBox, TextField, useForm } from "../../components/form";
import { toast } from "../../components/toast";
import { recordsRefunds, refundable } from "./refundable";

export interface ChargeDialogProps {
  charge: Transaction;
  done(next: Transaction): void;
  onClose(): void;
}

export function RefundDialog({ charge, done, onClose }: ChargeDialogProps) {
  const left = refundable(charge);
  const isRecord = recordsRefunds(charge);
  const form = useForm({
    initial: { amountCents: moneyText(left), reason: "" },
    check: ({ amountCents }): Record<string, string> => {
      const cents = parseMoney(amountCents);
      return cents === null || cents < 1 ? { amountCents: t("amountWrong") } : {};
    },
    send: ({ amountCents, reason }, idempotencyKey) =>
      api.post<Transaction>(`/api/v1/transactions/${charge.id}/refund`, { amountCents: parseMoney(amountCents), reason: reason.trim() || null }, { idempotencyKey }),
    done: (next) => {
      onClose();
      toast(t(isRecord ? "refundRecorded" : "refundDone"));
      done(next);
    },
  });
  return (
    <Dialog title={t(isRecord ? "refundRecordTitle" : "refundTitle")} onClose={onClose}>
      <p>{t(!isRecord ? "refundWhy" : charge.environment === "sandbox" ? "refundRecordSandboxWhy" : "refundRecordWhy", { left: formatMoney(left) })}</p>
      <FormBox form={form} label={t("refundTitle")}>
        <TextField label={t("refundAmount")} hint={t("refundAmountHint")} prefix="R$" inputMode="decimal" {...bound(form, "amountCents")} />
        <TextField label={t("reason")} optional maxLength={255} {...bound(form, "reason")} />
        <div class="buttons">
          <Button onClick={onClose}>{t("cancel")}</Button>
          <Button type="submit" kind="danger" busy={form.busy}>
            {t(isRecord ? "refundRecord" : "refund")}
          </Button>
        </div>
      </FormBox>
    </Dialog>
  );
}

export const CancelDialog = ({ charge, done, onClose }: ChargeDialogProps) => (
  <Ask
    title={t("cancelCharge")}
    action={t("cancelCharge")}
    danger
    run={(idempotencyKey) => api.post<Transaction>(`/api/v1/transactions/${charge.id}/cancel`, {}, { idempotencyKey })}
    onClose={onClose}
    done={(next) => {
      onClose();
      toast(t("cancelled"));
      done(next);
    }}
  >
    {t("cancelWhy")}
  </Ask>
);

export function ConfirmPaymentDialog({ charge, done, onClose }: ChargeDialogProps) {
  const form = useForm({
    initial: { endToEndId: "", amountCents: moneyText(charge.amountCents), paidAt: "" },
    check: ({ endToEndId, amountCents, paidAt }): Record<string, string> => ({
      ...(!/^[0-9A-Za-z]{32}$/.test(endToEndId.trim()) && { endToEndId: t("endToEndWrong") }),
      ...(!parseMoney(amountCents) && { amountCents: t("amountWrong") }),
      ...(paidAt && !momentOf(paidAt) && { paidAt: t("reason_required") }),
    }),
    send: ({ endToEndId, amountCents, paidAt }, idempotencyKey) =>
      api.post<ConfirmedTransaction>(
        `/api/v1/transactions/${charge.id}/confirm`,
        { endToEndId: endToEndId.trim(), amountCents: parseMoney(amountCents), ...(paidAt && { paidAt: momentOf(paidAt) }) },
        { idempotencyKey },
      ),
    done: (next) => {
      onClose();
      toast(t(next.flag ? "confirmedFlag" : "confirmed"));
      done(next);
    },
  });
  return (
    <Dialog title={t("confirmPayment")} onClose={onClose}>
      <p>{t("confirmWhy")}</p>
      <FormBox form={form} label={t("confirmPayment")}>
        <TextField label={t("endToEndId")} hint={t("endToEndHint")} maxLength={32} autoComplete="off" {...bound(form, "endToEndId")} />
        <TextField label={t("paidAmount")} prefix="R$" inputMode="decimal" {...bound(form, "amountCents")} />
        <TextField label={t("paidWhen")} hint={t("paidWhenHint")} optional type="datetime-local" {...bound(form, "paidAt")} />
        <div class="buttons">
          <Button onClick={onClose}>{t("cancel")}</Button>
          <Button type="submit" kind="primary" busy={form.busy}>
            {t("confirmPayment")}
          </Button>
        </div>
      </FormBox>
    </Dialog>
  );
}
