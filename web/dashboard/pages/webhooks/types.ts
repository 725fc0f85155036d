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
  completeSince: string;
}

// The text is null to who sees personal data masked.
interface Sample {
  headers: Record<string, string>;
  body: string | null;
}
export interface SentRequest extends Sample {
  url: string;
  webhookApiVersion: "v1" | "v2";
  attempt: number;
}
export type DeliveryDetail = Delivery & { request: SentRequest };

export interface Recovery {
  queued: number;
  hastened: number;
}

export interface Preview {
  event: string;
  isSample: boolean; // no charge has come so far yet
  v1: Sample | null; // null for what v1 has no words for
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
