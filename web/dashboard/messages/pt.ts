import { account } from "./pt/account";
import { charges } from "./pt/charges";
import { customers } from "./pt/customers";
import { docs } from "./pt/docs";
import { errors } from "./pt/errors";
import { events } from "./pt/events";
import { frame } from "./pt/frame";
import { integration } from "./pt/integration";
import { overview } from "./pt/overview";
import { reconcile } from "./pt/reconcile";
import { settings } from "./pt/settings";
import { webhooks } from "./pt/webhooks";

// All texts of the dashboard in Portuguese, by topic. A missing English text is a compile error.
export const pt = { ...frame, ...errors, ...events, ...account, ...overview, ...reconcile, ...charges, ...customers, ...docs, ...webhooks, ...integration, ...settings };
