import type { Route } from "../../app/routes";
import { SecurityPage } from "../account/security";
import { AuditPage } from "./audit";
import { ExportsPage } from "./exports";
import { KeysPage } from "./keys";
import { StorePage } from "./store";
import { TeamPage } from "./team";

export const settingsRoutes: Route[] = [
  { path: "/chaves", page: KeysPage, nav: { group: "settings", title: "keys", icon: "key" }, needs: "manage" },
  { path: "/equipe", page: TeamPage, nav: { group: "settings", title: "team", icon: "team" }, needs: "manage" },
  { path: "/loja", page: StorePage, nav: { group: "settings", title: "store", icon: "store" } },
  { path: "/exportar", page: ExportsPage, nav: { group: "settings", title: "exports", icon: "export" } },
  { path: "/auditoria", page: AuditPage, nav: { group: "settings", title: "audit", icon: "audit" } },
  { path: "/seguranca", page: SecurityPage },
];
