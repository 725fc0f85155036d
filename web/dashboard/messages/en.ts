import { account } from "./en/account";
import { charges } from "./en/charges";
import { customers } from "./en/customers";
import { docs } from "./en/docs";
import { errors } from "./en/errors";
import { events } from "./en/events";
import { frame } from "./en/frame";
import { integration } from "./en/integration";
import { overview } from "./en/overview";
import { reconcile } from "./en/reconcile";
import { settings } from "./en/settings";
import { webhooks } from "./en/webhooks";
import type { pt } from "./pt";

export const en: Record<keyof typeof pt, string> = { ...frame, ...errors, ...events, ...account, ...overview, ...reconcile, ...charges, ...customers, ...docs, ...webhooks, ...integration, ...settings };
