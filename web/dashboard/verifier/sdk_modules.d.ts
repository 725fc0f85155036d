// The parts of the Node SDK that the verifier uses.

declare module "*/sdk/node/lib/charge-events.cjs" {
  /** A charge's event in a receipt. */
  export interface StoredEvent {
    position: number;
    stream: string;
    version: number;
    type: string;
    recordedAt: string;
    actor: string;
    requestId: string | null;
    data: Record<string, unknown>;
  }
  export function readEvent(position: number, envelope: Uint8Array, personal: Uint8Array | null): StoredEvent;
  export function statusAfter(events: StoredEvent[]): string;
}

declare module "*/sdk/node/lib/flat.cjs" {
  export class UnreadableBytes extends Error {}
}

declare module "*/sdk/node/lib/strict-json.cjs" {
  export function parseStrictly(text: string): unknown;
}
