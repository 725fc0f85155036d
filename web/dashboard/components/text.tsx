import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { copyText } from "../app/copy";
import { formatAgo, formatMoney, formatTime } from "../app/format";
import { t, tOr } from "../app/i18n";
import { Button } from "./button";
import { announce } from "./toast";

export const Money = ({ cents }: { cents: number }) => <span class="money">{formatMoney(cents)}</span>;

// A moment in the store's zone.
export function When({ at, style = "short", ago = false }: { at: string; style?: "brief" | "short" | "full" | "day"; ago?: boolean }) {
  return (
    <time dateTime={at} title={formatTime(at, "full")}>
      {ago ? formatAgo(at) : formatTime(at, style)}
    </time>
  );
}

export function CopyButton({ text, label, what }: { text: string; label?: string; what?: string }) {
  const [state, setState] = useState<"" | "copied" | "refused">("");
  useEffect(() => {
    if (!state) return;
    const timer = setTimeout(() => setState(""), 4000);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = ({ currentTarget }: MouseEvent) =>
    copyText(text, currentTarget as HTMLElement, (done) => {
      setState(done ? "copied" : "refused");
      announce(t(done ? "copied" : "copyRefused"));
    });
  const shown = state === "copied" ? t("copied") : state === "refused" ? t("copyRefused") : label;
  return (
    <Button kind={label ? "plain" : "quiet"} icon={state === "copied" ? "check" : "copy"} label={label ? undefined : t("copyWhat", { what: what ?? text })} onClick={copy}>
      {shown}
    </Button>
  );
}

// An id with a button that copies all of it. Short forms keep both ends, where ids differ.
export const shortId = (id: string): string => (id.length > 16 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id);

export const Id = ({ id, what, short }: { id: string; what?: string; short?: boolean }) => (
  <span class={short ? "id short" : "id"}>
    <code title={short ? id : undefined}>{short ? shortId(id) : id}</code>
    <CopyButton text={id} what={what} />
  </span>
);

export type Tone = "good" | "bad" | "warn" | "calm" | "info";

export const Badge = ({ tone = "calm", children }: { tone?: Tone; children: ComponentChildren }) => <span class={`badge ${tone}`}>{children}</span>;

const tones: Record<string, Tone> = {
  paid: "good", delivered: "good", done: "good", complete: "good", healthy: "good", active: "good",
  waiting_payment: "info", processing: "info", pending: "info", open: "info",
  failed: "bad", exhausted: "bad", failing: "bad", disabled: "bad",
  refunded: "warn", recorded: "warn",
};

// The API's status as a text: the message `status_X`, or with a kind `status_KIND_X`.
export const Status = ({ of, kind }: { of: string; kind?: "link" }) => (
  <Badge tone={tones[of] ?? "calm"}>{tOr(kind ? `status_${kind}_${of}` : `status_${of}`, of)}</Badge>
);

// Names and values as a definition list.
export function Facts({ of }: { of: (readonly [string, ComponentChildren] | null | false | "" | undefined)[] }) {
  return (
    <dl class="facts">
      {of.map(
        (fact) =>
          fact && (
            <div key={fact[0]}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1] ?? <span class="soft">—</span>}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
