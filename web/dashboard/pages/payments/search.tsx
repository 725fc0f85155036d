import type { Found } from "../../api_types";
import { formatTime, formatMoney } from "../../app/format";
import { t } from "../../app/i18n";
import { useGet } from "../../app/resource";
import { usePlace } from "../../app/router";
import { can, useSession } from "../../app/session";
import { Page, Section } from "../../components/page";
import { Empty, Loaded } from "../../components/states";
import { ChargeTable } from "./charge_table";
import { CustomerTable } from "./customer_table";

// Searches ids, documents, references and names.
export function SearchPage() {
  useSession();
  const q = usePlace().query.get("q")?.trim() ?? "";
  const found = useGet<Found>(q ? "/api/v1/search" : null, { q });
  return (
    <Page title={t("searchTitle")} lead={q && t("searchFor", { q })}>
      {!q ? (
        <Empty title={t(can("personal") ? "searchNoneWhy" : "searchMaskedWhy")} />
      ) : (
        <Loaded of={found}>
          {({ transactions, customers, payments }) => (
            <>
              {transactions.length + customers.length + payments.length === 0 && <Empty title={t("searchNone")}>{t(can("personal") ? "searchNoneWhy" : "searchMaskedWhy")}</Empty>}
              {transactions.length > 0 && (
                <Section title={t("charges")}>
                  <ChargeTable rows={transactions} caption={t("charges")} busy={found.loading} />
                </Section>
              )}
              {payments.map((payment) => (
                <Section key={payment.endToEndId} title={t("searchPayment")}>
                  <p>{t("searchPaymentIs", { amount: formatMoney(payment.amountCents), when: formatTime(payment.paidAt), id: payment.endToEndId })}</p>
                </Section>
              ))}
              {customers.length > 0 && (
                <Section title={t("customers")}>
                  <CustomerTable rows={customers} busy={found.loading} />
                </Section>
              )}
            </>
          )}
        </Loaded>
      )}
    </Page>
  );
}
