import type { Found } from "../../api_types";
import { t } from "../../app/i18n";
import { useGet } from "../../app/resource";
import { usePlace } from "../../app/router";
import { can, useSession } from "../../app/session";
import { Page, Section } from "../../components/page";
import { Empty, Loaded } from "../../components/states";
import { ChargeTable } from "./charge_table";
import { CustomerTable } from "./customer_table";

// By anything: ids, documents, references, names.
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
          {({ transactions, customers }) => (
            <>
              {transactions.length + customers.length === 0 && <Empty title={t("searchNone")}>{t(can("personal") ? "searchNoneWhy" : "searchMaskedWhy")}</Empty>}
              {transactions.length > 0 && (
                <Section title={t("charges")}>
                  <ChargeTable rows={transactions} caption={t("charges")} busy={found.loading} />
                </Section>
              )}
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
