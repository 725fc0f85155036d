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
      columns={[
        { key: "amount", head: t("amount"), cell: ({ id, amountCents, feeCents, netCents, refundedAmountCents }) => (
          <span>
            <a href={`/cobrancas/${id}`}>
              <Money cents={amountCents} />
            </a>
            {feeCents !== null && feeCents > 0 && netCents !== null && <span class="soft small block">{t(refundedAmountCents > 0 ? "leftOf" : "netOf", { amount: formatMoney(netCents - refundedAmountCents) })}</span>}
          </span>
        ) },
        { key: "status", head: t("status"), cell: (charge) => (
          <span class="marks">
            <ChargeState of={charge} />
            <OfOtherWorld of={charge.environment} />
          </span>
        ) },
        ...(ofCustomer ? [] : [{ key: "customer", head: t("customer"), cell: ({ customerName }: ChargeRow) => customerName }]),
        { key: "product", head: t("product"), cell: ({ product }) => product },
        ...(ofCustomer ? [] : [{ key: "reference", head: t("reference"), cell: ({ id, externalId }: ChargeRow) => (externalId === id ? <span class="soft">—</span> : externalId) }]),
        { key: "created", head: t("created"), cell: ({ createdAt }) => <When at={createdAt} /> },
        { key: "paid", head: t("paidAt"), cell: ({ paidAt }) => (paidAt ? <When at={paidAt} /> : <span class="soft">—</span>) },
      ]}
    />
  );
}
