import type { Customer } from "../../api_types";
import { formatDocument } from "../../app/format";
import { t } from "../../app/i18n";
import { OfOtherWorld } from "../../components/other_world";
import { Table } from "../../components/table";
import { Badge, When } from "../../components/text";

export function CustomerTable({ rows, busy }: { rows: Customer[]; busy?: boolean }) {
  return (
    <Table<Customer>
      caption={t("customers")}
      rows={rows}
      rowKey={({ id }) => id}
      busy={busy}
      linked
      columns={[
        { key: "name", head: t("name"), phone: "lead", cell: ({ id, name }) => <a href={`/clientes/${id}`}>{name}</a> },
        { key: "document", head: t("document"), cell: ({ document }) => (document ? <span class="number">{formatDocument(document)}</span> : "—") },
        { key: "email", head: t("email"), phone: "below", cell: ({ email }) => email ?? "—" },
        { key: "status", head: t("status"), phone: "marks", cell: ({ isBlocked, environment }) => (
          <>
            {isBlocked ? <Badge tone="bad">{t("blocked")}</Badge> : <Badge>{t("notBlocked")}</Badge>} <OfOtherWorld of={environment} />
          </>
        ) },
        { key: "created", head: t("customerSince"), phone: "figure", cell: ({ createdAt }) => <When at={createdAt} style="day" /> },
      ]}
    />
  );
}
