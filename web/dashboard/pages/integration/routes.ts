import type { Route } from "../../app/routes";
import { ChannelPage } from "../webhooks/channel";
import { WebhooksPage } from "../webhooks/list";
import { ConnectionsPage } from "./connections";
import { DocsPage } from "./docs";
import { EventsPage } from "./events";
import { RequestsPage } from "./requests";

export const integrationRoutes: Route[] = [
  { path: "/webhooks", page: WebhooksPage, nav: { group: "integration", title: "webhooks", icon: "webhook" } },
  { path: "/webhooks/:id", page: ChannelPage },
  { path: "/eventos", page: EventsPage, nav: { group: "integration", title: "liveEvents", icon: "event" } },
  { path: "/requisicoes", page: RequestsPage, nav: { group: "integration", title: "requests", icon: "request" } },
  { path: "/conexoes", page: ConnectionsPage, nav: { group: "integration", title: "connections", icon: "connection" } },
  { path: "/docs", page: DocsPage, nav: { group: "integration", title: "docs", icon: "docs" } },
];
