import { useState } from "preact/hooks";
import type { BlocklistEntry } from "../../api_types";
import { api } from "../../app/api";
import { formatDocument } from "../../app/format";
import { t, tOr } from "../../app/i18n";
import { useGet } from "../../app/resource";
import { usePlace } from "../../app/router";
import { can, useSession } from "../../app/session";
import { Button } from "../../components/button";
import { Ask } from "../../components/ask";
import { Dialog } from "../../components/dialog";
import { bound, FormBox, SelectField, TextField, useForm } from "../../components/form";
import { Page, Section } from "../../components/page";
import { Empty, Loaded } from "../../components/states";
import { Pagination, Table } from "../../components/table";
import { When } from "../../components/text";
import { toast } from "../../components/toast";

const types = ["ip", "cidr", "email", "document"] as const;

function AddDialog({ done, onClose }: { done(): void; onClose(): void }) {
  const form = useForm({
    initial: { type: "email", value: "", reason: "" },
    draft: "blocklist",
    check: ({ value }): Record<string, string> => (value.trim() ? {} : { value: t("reason_required") }),
    send: ({ type, value, reason }, idempotencyKey) =>
      api.post<BlocklistEntry>("/api/v1/blocklist", {
        type,
        value: type === "document" ? value.replace(/[.\-/\s]/g, "") : value.trim(),
        reason: reason.trim() || null,
      }, { idempotencyKey }),
    done: () => {
      onClose();
      done();
    },
  });
  return (
    <Dialog title={t("blocklistAdd")} onClose={onClose}>
      <FormBox form={form} label={t("blocklistAdd")}>
        <SelectField label={t("type")} {...bound(form, "type")} choices={types.map((each) => [each, t(`type_${each}`)] as const)} />
        <TextField label={t("blocklistValue")} hint={tOr(`blocklistHint_${form.values.type}`, "")} {...bound(form, "value")} />
        <TextField label={t("reason")} optional maxLength={255} {...bound(form, "reason")} />
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

const valueOf = ({ type, value }: BlocklistEntry) => (value === null ? "—" : type === "document" ? formatDocument(value) : value);

export function BlocklistPage() {
  const { query } = usePlace();
  const { environment } = useSession();
  const list = useGet<BlocklistEntry[]>("/api/v1/blocklist", { environment, limit: 20, page: query.get("page") });
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<BlocklistEntry | null>(null);
  const changed = (text: string) => {
    toast(text);
    list.reload();
  };
  return (
    <Page
      title={t("blocklist")}
      lead={t("blocklistLead")}
      actions={
        can("write") && (
          <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
            {t("blocklistAdd")}
          </Button>
        )
      }
    >
      <Section title={t("blocklist")} quiet>
        <Loaded of={list}>
          {(rows) =>
            rows.length === 0 ? (
              <Empty title={t("blocklistNone")}>{t("blocklistNoneWhy")}</Empty>
            ) : (
              <>
                <Table<BlocklistEntry>
                  caption={t("blocklist")}
                  rows={rows}
                  rowKey={({ id }) => id}
                  busy={list.loading}
                  columns={[
                    { key: "value", head: t("value"), cell: (each) => <span class="strong">{valueOf(each)}</span> },
                    { key: "type", head: t("type"), cell: ({ type }) => (type ? t(`type_${type}`) : "—") },
                    { key: "reason", head: t("reason"), cell: ({ reason }) => reason ?? "—" },
                    { key: "created", head: t("created"), cell: ({ createdAt }) => <When at={createdAt} /> },
                    {
                      key: "acts",
                      head: t("actions"),
                      silent: true,
                      number: true,
                      cell: (each) =>
                        can("write") && (
                          <Button label={`${t("remove")}: ${valueOf(each)}`} onClick={() => setRemoving(each)}>
                            {t("remove")}
                          </Button>
                        ),
                    },
                  ]}
                />
                {list.meta && <Pagination meta={list.meta} busy={list.loading} />}
              </>
            )
          }
        </Loaded>
      </Section>
      {adding && <AddDialog onClose={() => setAdding(false)} done={() => changed(t("blocklistAdded"))} />}
      {removing && (
        <Ask
          title={t("remove")}
          action={t("remove")}
          run={(idempotencyKey) => api.remove<unknown>(`/api/v1/blocklist/${removing.id}`, { idempotencyKey })}
          onClose={() => setRemoving(null)}
          done={() => {
            setRemoving(null);
            changed(t("blocklistRemoved"));
          }}
        >
          {t("blocklistRemoveWhy", { value: valueOf(removing) })}
        </Ask>
      )}
    </Page>
  );
}
