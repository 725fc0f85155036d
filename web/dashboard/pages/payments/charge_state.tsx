import type { Transaction } from "../../api_types";
import { formatMoney } from "../../app/format";
import { t } from "../../app/i18n";
import { Badge, Status } from "../../components/text";

export type ChargeMoney = Pick<Transaction, "status" | "amountCents" | "paidAmountCents" | "refundedAmountCents" | "unappliedAmountCents">;

// The status and what it omits: a different amount, a partial refund, unapplied money.
export function ChargeState({ of }: { of: ChargeMoney }) {
  const { status, amountCents, paidAmountCents, refundedAmountCents, unappliedAmountCents } = of;
  return (
    <>
      <Status of={status} />
      {paidAmountCents != null && paidAmountCents !== amountCents && <Badge tone="warn">{t("cameOther", { amount: formatMoney(paidAmountCents) })}</Badge>}
      {status === "paid" && refundedAmountCents > 0 && <Badge tone="warn">{t("refundedPart", { amount: formatMoney(refundedAmountCents) })}</Badge>}
      {unappliedAmountCents > 0 && <Badge tone="warn">{t("keptAside", { amount: formatMoney(unappliedAmountCents) })}</Badge>}
    </>
  );
}
