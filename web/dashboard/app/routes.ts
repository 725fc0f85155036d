import type { ComponentType } from "preact";
import type { IconName } from "../components/icon";
import { integrationRoutes } from "../pages/integration/routes";
import { paymentRoutes } from "../pages/payments/routes";
import { settingsRoutes } from "../pages/settings/routes";
import type { MessageKey } from "./i18n";
import { match, type Parameters } from "./router";
import type { Act } from "./session";

export type NavGroup = "payments" | "integration" | "settings";

export interface Route {
  path: string;
  page: ComponentType<{ parameters: Parameters }>;
  // In the navigation, in the table's order.
  nav?: { group: NavGroup; title: MessageKey; icon: IconName };
  // Hidden in the navigation if the role does not allow it.
  needs?: Act;
}

export const routes: Route[] = [...paymentRoutes, ...integrationRoutes, ...settingsRoutes];

export function routeOf(path: string): { route: Route; parameters: Parameters } | null {
  for (const route of routes) {
    const parameters = match(route.path, path);
    if (parameters) return { route, parameters };
  }
  return null;
}
