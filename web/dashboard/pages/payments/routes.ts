import type { Route } from "../../app/routes";
import { BlocklistPage } from "./blocklist";
import { ChargePage } from "./charge";
import { ChargesPage } from "./charges";
import { CustomerPage } from "./customer";
import { CustomersPage } from "./customers";
import { NewChargePage } from "./new_charge";
import { OverviewPage } from "./overview";
import { ReconcilePage } from "./reconcile";
import { SearchPage } from "./search";

export const paymentRoutes: Route[] = [
  { path: "/", page: OverviewPage, nav: { group: "payments", title: "overview", icon: "overview" } },
  { path: "/cobrancas", page: ChargesPage, nav: { group: "payments", title: "charges", icon: "charge" } },
  { path: "/cobrancas/nova", page: NewChargePage },
  { path: "/cobrancas/:id", page: ChargePage },
  { path: "/clientes", page: CustomersPage, nav: { group: "payments", title: "customers", icon: "customer" } },
  { path: "/clientes/:id", page: CustomerPage },
  { path: "/bloqueios", page: BlocklistPage, nav: { group: "payments", title: "blocklist", icon: "block" } },
  { path: "/conciliacao", page: ReconcilePage, nav: { group: "payments", title: "reconcile", icon: "check" }, needs: "write" },
  { path: "/busca", page: SearchPage },
];
