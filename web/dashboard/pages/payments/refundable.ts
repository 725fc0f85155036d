import type { Transaction } from "../../api_types";

// No bank moves the refunds; they are only recorded here.
export const recordsRefunds = ({ refundsMoveMoney }: Transaction): boolean => refundsMoveMoney === false;

const refundWindowMs = 90 * 24 * 60 * 60 * 1000;

// Whether a payment of that time is too old to be refunded.
export const isRefundWindowOver = (paidAt: string, now = Date.now()): boolean => now > Date.parse(paidAt) + refundWindowMs;

const sumOf = (amounts: { amountCents: number }[]): number => amounts.reduce((sum, { amountCents }) => sum + amountCents, 0);

// What is left of the payments: neither refunded nor pending.
export function leftOfPayments({ paidAmountCents, refundedAmountCents, refunds }: Transaction): number {
  return (paidAmountCents ?? 0) - refundedAmountCents - sumOf(refunds.filter(({ status }) => status === "pending"));
}

// How much of that can still be refunded. A bank refunds each payment separately, so payments that are too old do not
// count. A recorded refund is of the whole charge, so one payment that is not too old is enough.
export function refundable(charge: Transaction, now = Date.now()): number {
  const { paidAt, transactionCode, refunds, addedPayments = [] } = charge;
  const left = leftOfPayments(charge);
  if (!paidAt) return left;
  const first = { endToEndId: transactionCode, amountCents: (charge.paidAmountCents ?? 0) - sumOf(addedPayments), paidAt };
  const payments = [first, ...addedPayments];
  const open = payments.filter((payment) => !isRefundWindowOver(payment.paidAt, now));
  if (open.length === payments.length || (recordsRefunds(charge) && open.length)) return left;
  const backOf = (id: string | null) => sumOf(refunds.filter(({ status, endToEndId }) => status !== "failed" && (endToEndId ?? transactionCode) === id));
  return Math.min(
    left,
    open.reduce((sum, { endToEndId, amountCents }) => sum + amountCents - backOf(endToEndId), 0),
  );
}
