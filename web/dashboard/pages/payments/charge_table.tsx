import type { TransactionItemV1 } from "../../api_types";
import { formatMoney } from "../../app/format";
import { t } from "../../app/i18n";
import { OfOtherWorld } from "../../components/other_world";
import { Table } from "../../components/table";
import { Money, When } from "../../components/text";
import { type ChargeMoney, ChargeState } from "./charge_state";

export type ChargeRow = ChargeMoney & Pick<TransactionItemV1, "id" | "environment" | "externalId" | "feeCents" | "netCents" | "product" | "createdAt" | "paidAt"> & { customerName?: string };

// Charges as rows: on their list, on the overview, of a customer and of a search.
export function ChargeTable({ rows, caption, busy, ofCustomer }: { rows: ChargeRow[]; caption: string; busy?: boolean; ofCustomer?: boolean }) {
  return (
    <Table<ChargeRow>
      caption={caption}
      rows={rows}
      rowKey={({ id }) => id}
      busy={busy}
      linked
      columns={[
        { key: "amount", head: t("amount"), number: true, phone: "figure", cell: ({ id, amountCents, feeCents, netCents, refundedAmountCents }) => (
          <span>
            <a href={`/cobrancas/${id}`}>
              <Money cents={amountCents} />
            </a>
            {feeCents !== null && feeCents > 0 && netCents !== null && <span class="soft small block">{t(refundedAmountCents > 0 ? "leftOf" : "netOf", { amount: formatMoney(netCents - refundedAmountCents) })}</span>}
          </span>
        ) },
        { key: "status", head: t("status"), phone: "marks", cell: (charge) => (
          <span class="marks">
            <ChargeState of={charge} />
            <OfOtherWorld of={charge.environment} />
          </span>
        ) },
        ...(ofCustomer ? [] : [{ key: "customer", head: t("customer"), phone: "lead" as const, cell: ({ customerName }: ChargeRow) => customerName }]),
        { key: "product", head: t("product"), phone: ofCustomer ? "lead" : undefined, cell: ({ product }) => product },
        ...(ofCustomer ? [] : [{ key: "reference", head: t("reference"), cell: ({ id, externalId }: ChargeRow) => (externalId === id ? <span class="soft">—</span> : <span class="whole">{externalId}</span>) }]),
        { key: "created", head: t("created"), phone: "below", cell: ({ createdAt }) => <When at={createdAt} style="brief" /> },
        { key: "paid", head: t("paidAt"), cell: ({ paidAt }) => (paidAt ? <When at={paidAt} style="brief" /> : <span class="soft">—</span>) },
      ]}
    />
  );
}
