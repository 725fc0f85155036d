import type { WebhookEvent } from "../../api_types";

export const standardEvents: WebhookEvent[] = [
  "transaction.created",
  "transaction.paid",
  "transaction.expired",
  "transaction.refunded",
  "transaction.cancelled",
  "transaction.failed",
];
// Sent by v2 only, to channels that list them.
export const furtherEvents: WebhookEvent[] = ["transaction.partially_refunded", "payment.unapplied", "payment.settled", "store.changed"];
export const channelsPath = "/api/v1/notification-channels";
