// What the webhooks' endpoints answer besides the document's schemas.
import type { Delivery, WebhookEvent } from "../../api_types";

export interface ChannelStats {
  hours: { hour: string; delivered: number; failed: number }[];
  delivered: number;
  failed: number;
  pending: number;
  latencyP50Ms: number | null;
  latencyP95Ms: number | null;
  errors: { error: string; count: number }[];
}

export interface SentRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}
export type DeliveryDetail = Delivery & { request: SentRequest | null };

export interface Recovery {
  queued: number;
  hastened: number;
}

interface Sample {
  headers: Record<string, string>;
  body: unknown;
}
export interface Preview {
  v1: Sample;
  v2: Sample;
}

export const standardEvents: WebhookEvent[] = [
  "transaction.created",
  "transaction.paid",
  "transaction.expired",
  "transaction.refunded",
  "transaction.cancelled",
  "transaction.failed",
];
// Told of by v2 alone, to channels that name them.
export const furtherEvents: WebhookEvent[] = ["transaction.partially_refunded", "payment.unapplied", "payment.settled", "store.changed"];
export const channelsPath = "/api/v1/notification-channels";
