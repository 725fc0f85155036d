import { useState } from "preact/hooks";
import type { CustomerDetailV1, FraudEvent } from "../../api_types";
import { api } from "../../app/api";
import { endOfDay, formatDocument, formatPhone, formatTime } from "../../app/format";
import { t, tn, tOr } from "../../app/i18n";
import { useGet } from "../../app/resource";
import type { Parameters } from "../../app/router";
import { can } from "../../app/session";
import { Button } from "../../components/button";
import { Ask } from "../../components/ask";
import { Dialog } from "../../components/dialog";
import { bound, FormBox, SelectField, TextField, useForm } from "../../components/form";
import { Page, Section } from "../../components/page";
import { Note } from "../../components/states";
import { Table } from "../../components/table";
import { Badge, Facts, Id, Money, When } from "../../components/text";
import { toast } from "../../components/toast";
import { ChargeTable } from "./charge_table";
import { Elsewhere } from "./elsewhere";

function BlockDialog({ id, done, onClose }: { id: string; done(customer: CustomerDetailV1): void; onClose(): void }) {
  const form = useForm({
    initial: { blockType: "manual", reason: "", expiresAt: "" },
    check: ({ reason }): Record<string, string> => (reason.trim() ? {} : { reason: t("reason_required") }),
    send: ({ blockType, reason, expiresAt }, idempotencyKey) =>
      api.post<CustomerDetailV1>(`/api/v1/customers/${id}/block`, { blockType, reason: reason.trim(), expiresAt: expiresAt ? endOfDay(expiresAt) : null }, { idempotencyKey }),
    done: (customer) => {
      onClose();
      done(customer);
    },
  });
  return (
    <Dialog title={t("blockTitle")} onClose={onClose}>
      <p>{t("blockWhy")}</p>
      <FormBox form={form} label={t("blockTitle")}>
        <SelectField label={t("blockType")} {...bound(form, "blockType")} choices={[["manual", t("blockType_manual")], ["fraud", t("blockType_fraud")]]} />
        <TextField label={t("reason")} maxLength={255} {...bound(form, "reason")} />
        <TextField label={t("blockUntil")} hint={t("blockUntilHint")} optional type="date" {...bound(form, "expiresAt")} />
        <div class="buttons">
          <Button onClick={onClose}>{t("cancel")}</Button>
          <Button type="submit" kind="danger" busy={form.busy}>
            {t("block")}
          </Button>
        </div>
      </FormBox>
    </Dialog>
  );
}

const FraudEvents = ({ events }: { events: FraudEvent[] }) => (
  <Section title={t("fraudEvents")}>
    {events.length === 0 ? (
      <p class="soft">{t("fraudEventsNone")}</p>
    ) : (
      <Table<FraudEvent>
        caption={t("fraudEvents")}
        rows={events}
        rowKey={({ id }) => id}
        columns={[
          { key: "at", head: t("created"), cell: ({ createdAt }) => <When at={createdAt} /> },
          { key: "why", head: t("reason"), cell: ({ fraudType }) => tOr(`fraud_${fraudType}`, fraudType) },
          { key: "amount", head: t("amount"), cell: ({ amountCents }) => <Money cents={amountCents} /> },
          { key: "product", head: t("product"), cell: ({ product }) => product },
          { key: "address", head: t("address"), cell: ({ customerIp }) => customerIp ?? "—" },
        ]}
      />
    )}
  </Section>
);

function Blocked({ customer }: { customer: CustomerDetailV1 }) {
  return (
    <Section title={t("blocked")}>
      <Facts
        of={[
          [t("blockType"), customer.blockType && tOr(`blockType_${customer.blockType}`, customer.blockType)],
          [t("reason"), customer.blockedReason],
          [t("blockedSince"), customer.blockedAt && <When at={customer.blockedAt} />],
          [t("blockUntil"), customer.blockExpiresAt ? <When at={customer.blockExpiresAt} /> : t("blockForever")],
        ]}
      />
    </Section>
  );
}

const addressText = ({ street, streetNumber, complement, neighborhood, city, state, zipCode, country }: CustomerDetailV1) =>
  [[street, streetNumber].filter(Boolean).join(", "), complement, neighborhood, [city, state].filter(Boolean).join(" – "), zipCode, country].filter(Boolean).join(" · ");

function Shown({ customer, changed }: { customer: CustomerDetailV1; changed(next: CustomerDetailV1): void }) {
  const [asking, setAsking] = useState<"block" | "unblock" | null>(null);
  const isErased = "erasedAt" in customer && customer.erasedAt;
  return (
    <Page
      title={customer.name}
      above={{ href: "/clientes", title: t("customers") }}
      aside={customer.isBlocked && <Badge tone="bad">{t("blocked")}</Badge>}
      actions={
        can("write") &&
        !isErased &&
        (customer.isBlocked ? (
          <Button onClick={() => setAsking("unblock")}>{t("unblock")}</Button>
        ) : (
          <Button kind="danger" icon="block" onClick={() => setAsking("block")}>
            {t("block")}
          </Button>
        ))
      }
    >
      {isErased && <Note>{t("erased", { when: formatTime(String(customer.erasedAt)) })}</Note>}
      {customer.isBlocked && <Blocked customer={customer} />}
      <Section title={t("details")}>
        <Facts
          of={[
            [t("document"), customer.document && formatDocument(customer.document)],
            [t("email"), customer.email],
            [t("phone"), customer.phone && formatPhone(customer.phone)],
            [t("addressOf"), addressText(customer) || null],
            [t("customerSince"), <When at={customer.createdAt} />],
            [t("updated"), <When at={customer.updatedAt} />],
            ["ID", <Id id={customer.id} />],
            ...Object.entries(customer.metadata ?? {}).map(([key, value]) => [key, String(value)] as const),
          ]}
        />
      </Section>
      <Section
        title={t("recentCharges")}
        actions={customer.totalTransactions > 0 && <a href={`/cobrancas?customerId=${customer.id}`}>{tn("allCharges", customer.totalTransactions)}</a>}
      >
        {customer.recentTransactions.length ? (
          <ChargeTable ofCustomer rows={customer.recentTransactions.map((each) => ({ ...each, externalId: "" }))} caption={t("recentCharges")} />
        ) : (
          <p class="soft">{t("chargesNone")}</p>
        )}
      </Section>
      <FraudEvents events={customer.fraudEvents} />
      {asking === "block" && (
        <BlockDialog
          id={customer.id}
          onClose={() => setAsking(null)}
          done={(next) => {
            toast(t("customerBlocked"));
            changed(next);
          }}
        />
      )}
      {asking === "unblock" && (
        <Ask
          title={t("unblock")}
          action={t("unblock")}
          run={(idempotencyKey) => api.post<CustomerDetailV1>(`/api/v1/customers/${customer.id}/unblock`, {}, { idempotencyKey })}
          onClose={() => setAsking(null)}
          done={(next) => {
            setAsking(null);
            toast(t("customerUnblocked"));
            changed(next);
          }}
        >
          {t("unblockWhy")}
        </Ask>
      )}
    </Page>
  );
}

export function CustomerPage({ parameters }: { parameters: Parameters }) {
  const customer = useGet<CustomerDetailV1>(`/api/v1/customers/${encodeURIComponent(parameters.id!)}`);
  return (
    <Elsewhere of={customer} title={t("customer")} above={{ href: "/clientes", title: t("customers") }}>
      {(data) => <Shown customer={data} changed={customer.set} />}
    </Elsewhere>
  );
}
