import { account } from "./account";
import { charges } from "./charges";
import { customers } from "./customers";
import { docs } from "./docs";
import { errors } from "./errors";
import { events } from "./events";
import { frame } from "./frame";
import { integration } from "./integration";
import { overview } from "./overview";
import { reconcile } from "./reconcile";
import { settings } from "./settings";
import { webhooks } from "./webhooks";

// All texts of the dashboard, by topic. A text that one language lacks is a compile error.
export const messages = { ...frame, ...errors, ...events, ...account, ...overview, ...reconcile, ...charges, ...customers, ...docs, ...webhooks, ...integration, ...settings };
