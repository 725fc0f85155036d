import type { TransactionItemV1 } from "../../api_types";
import { t } from "../../app/i18n";
import { OfOtherWorld } from "../../components/other_world";
import { Table } from "../../components/table";
import { Money, Status, When } from "../../components/text";

export type ChargeRow = Pick<TransactionItemV1, "id" | "environment" | "externalId" | "status" | "amountCents" | "product" | "createdAt" | "paidAt"> & { customerName?: string };

// Charges as rows: on their list, on the overview, of a customer and of a search.
export function ChargeTable({ rows, caption, busy, ofCustomer }: { rows: ChargeRow[]; caption: string; busy?: boolean; ofCustomer?: boolean }) {
  return (
    <Table<ChargeRow>
      caption={caption}
      rows={rows}
      rowKey={({ id }) => id}
      busy={busy}
      columns={[
        { key: "amount", head: t("amount"), cell: ({ id, amountCents }) => (
          <a href={`/cobrancas/${id}`}>
            <Money cents={amountCents} />
          </a>
        ) },
        { key: "status", head: t("status"), cell: ({ status, environment }) => (
          <>
            <Status of={status} /> <OfOtherWorld of={environment} />
          </>
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
