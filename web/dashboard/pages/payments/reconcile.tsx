import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { ReconciledPayment, ReconciledReturn, Reconciliation } from "../../api_types";
import { api, type ApiError } from "../../app/api";
import { reasonText, warningText } from "../../app/errors";
import { formatMoney, formatNumber, formatTime, zone } from "../../app/format";
import { t } from "../../app/i18n";
import { useSession } from "../../app/session";
import { Button } from "../../components/button";
import { TextField } from "../../components/form";
import { Page, Section } from "../../components/page";
import { Note, Problem } from "../../components/states";
import { type Column, Table } from "../../components/table";

const bytesMax = 8 * 1024 * 1024;
const kinds = ["missingInLedger", "missingInStatement", "amountDiffers", "late", "doubled", "unmatched", "unidentified", "probable", "notCompared"] as const;
const returnKinds = ["missingInLedger", "missingInStatement", "amountDiffers", "pending", "unidentified", "probable"] as const;

const todoOf = (kind: (typeof kinds | typeof returnKinds)[number]): string =>
  t(kind === "amountDiffers" || kind === "late" || kind === "doubled" ? "rcDo_settle" : `rcDo_${kind}`);

interface Wanted {
  from: string;
  to: string;
}

const money = (cents: number | null): string => (cents === null ? "—" : formatMoney(cents));

// A payment or a return.
interface Item {
  line: number | null;
  endToEndId: string | null;
  transactionId: string | null;
  here: number | null;
  statement: number | null;
  charged: number | null; // if it differs from the amount received
  at: string | null;
  byHand: boolean;
}
const ofPayment = (of: ReconciledPayment): Item => ({ ...of, here: of.ledgerAmountCents, statement: of.statementAmountCents, charged: of.chargeAmountCents, at: of.statementPaidAt ?? of.ledgerPaidAt, byHand: false });
const ofReturn = (of: ReconciledReturn): Item => ({ ...of, here: of.ledgerAmountCents, statement: of.statementAmountCents, charged: null, at: of.statementReturnedAt ?? of.ledgerReturnedAt, byHand: of.moved === false });

const columns = (items: Item[]): Column<Item>[] => [
  { key: "line", head: t("rcLine"), number: true, cell: ({ line }) => line ?? "—" },
  {
    key: "payment",
    head: "Pix",
    cell: ({ endToEndId, transactionId, byHand }) => (
      <>
        {transactionId === null ? <code>{endToEndId ?? "—"}</code> : <a href={`/cobrancas/${transactionId}`}>{endToEndId ?? transactionId}</a>}
        {byHand && <span class="soft small"> {t("rcByHand")}</span>}
      </>
    ),
  },
  { key: "statement", head: t("rcInStatement"), number: true, cell: (of) => money(of.statement) },
  { key: "here", head: t("rcHere"), number: true, cell: (of) => money(of.here) },
  ...(items.some(({ charged }) => charged !== null) ? [{ key: "charged", head: t("rcCharged"), number: true, cell: (of: Item) => money(of.charged) }] : []),
  { key: "when", head: t("when"), cell: ({ at }) => at && formatTime(at) },
];

function Differences({ title, todo, items, count }: { title: string; todo: string; items: Item[]; count: number }) {
  if (count === 0) return null;
  const named = `${title} (${formatNumber(count)})`;
  return (
    <Section title={named}>
      <p>{todo}</p>
      <Table caption={named} columns={columns(items)} rows={items} rowKey={(item) => String(items.indexOf(item))} />
      {items.length < count && <p class="hint">{t("rcFirst", { shown: items.length, n: formatNumber(count) })}</p>}
    </Section>
  );
}

const asSentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const tones = { agrees: "good", probablyAgrees: "warn", differs: "bad", cannotCompare: "warn" } as const;

type Period = Reconciliation["period"];

// The compared days, and their source.
function periodText({ from, to, by }: Period): string {
  if (by === "ledger" || !from || !to) return by === "given" && (from || to) ? t(from ? "rcPeriod_since" : "rcPeriod_until", { day: formatTime((from ?? to)!) }) : t("rcPeriod_ledger");
  return t(`rcPeriod_${by}`, { from: formatTime(from), to: formatTime(to) });
}

function Outcome({ of, heading }: { of: Reconciliation; heading: { current: HTMLDivElement | null } }) {
  const { outcome, cause, counts, returns, period } = of;
  return (
    <>
      <div ref={heading} tabIndex={-1} data-outcome={outcome}>
        <Note tone={tones[outcome]}>
          <p class="strong">{outcome === "cannotCompare" ? t(`rcCause_${cause ?? "noNames"}`) : t(`rcOutcome_${outcome}`)}</p>
          <p data-period={period.by}>{periodText(period)}</p>
          {period.gaps.map(({ from, to }) => (
            <p key={from} class="strong">
              {t("rcGap", { from: formatTime(from), to: formatTime(to) })}
            </p>
          ))}
          <p>{t("rcMatched", { n: formatNumber(counts.matched), returns: returns.counts.matched, ignored: formatNumber(of.ignored) })}</p>
          {!returns.compared && cause !== "outOfPeriod" && <p>{t("rcNoReturns", { n: returns.inLedger })}</p>}
        </Note>
        {of.warnings.length > 0 && (
          <Note tone="warn">
            <p class="strong">{t("rcWarnings")}</p>
            <ul>
              {of.warnings.map((warning) => (
                <li key={warning}>{asSentence(warningText(warning))}</li>
              ))}
            </ul>
          </Note>
        )}
      </div>
      {kinds.map((kind) => (
        <Differences key={kind} title={t(`rcKind_${kind}`)} todo={todoOf(kind)} items={of[kind].map(ofPayment)} count={counts[kind]} />
      ))}
      {returnKinds.map((kind) => (
        <Differences
          key={kind}
          title={`${t("rcReturns")}: ${t(`rcKind_${kind}`)}`}
          todo={todoOf(kind)}
          items={returns[kind].map(ofReturn)}
          count={returns.counts[kind]}
        />
      ))}
    </>
  );
}

interface FileFieldProps {
  problem: string;
  onFile(file: File | null): void;
}

function FileField({ problem, onFile }: FileFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{t("rcFile")}</label>
      <input
        id={id}
        type="file"
        accept=".csv,.txt,.ofx,.json,text/csv,application/x-ofx,application/json"
        aria-describedby={problem ? `${id}-error ${id}-hint` : `${id}-hint`}
        aria-invalid={problem ? "true" : undefined}
        onChange={(event) => onFile(event.currentTarget.files?.[0] ?? null)}
      />
      {problem && (
        <p class="field-error" id={`${id}-error`}>
          {problem}
        </p>
      )}
      <p class="hint" id={`${id}-hint`}>
        {t("rcFileHint")}
      </p>
    </div>
  );
}

const problemOf = (file: File | null): string => {
  if (!file || file.size === 0) return t("rcNoFile");
  return file.size > bytesMax ? t("rcTooLarge") : "";
};

// For the shown project and environment; a change resets it.
function Comparing(): ComponentChildren {
  const [wanted, setWanted] = useState<Wanted>({ from: "", to: "" });
  const [file, setFile] = useState<File | null>(null);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const [found, setFound] = useState<Reconciliation | null>(null);
  const running = useRef<AbortController | null>(null);
  const heading = useRef<HTMLDivElement>(null);
  useEffect(() => () => running.current?.abort(), []);
  // Moves the focus to the result.
  useEffect(() => {
    if (found) heading.current?.focus();
  }, [found]);
  const set = (part: Partial<Wanted>) => setWanted((last) => ({ ...last, ...part }));
  const choose = (next: File | null) => {
    setFile(next);
    setProblem(next ? problemOf(next) : "");
    setFound(null);
    setError(null);
  };
  const run = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    const wrong = problemOf(file);
    setProblem(wrong);
    if (wrong) return;
    setBusy(true);
    setError(null);
    setFound(null);
    const controller = new AbortController();
    running.current = controller;
    // A file that changed after its selection can no longer be read.
    const bytes = await file!.arrayBuffer().catch(() => null);
    if (controller.signal.aborted) return;
    if (!bytes) setProblem(t("rcNoFile"));
    else {
      const query = { ...wanted, timezone: zone() };
      const result = await api.post<Reconciliation>("/api/v1/reconciliations", undefined, { query, file: bytes, signal: controller.signal });
      if (controller.signal.aborted) return;
      const refused = result.ok ? null : result.error.details.find(({ field }) => field === "statement");
      if (result.ok) setFound(result.data);
      else if (refused) setProblem(asSentence(reasonText(refused)));
      else setError(result.error);
    }
    setBusy(false);
  };
  return (
    <>
      <Section title={t("reconcile")} quiet>
        <form class="form" noValidate onSubmit={(event) => void run(event)}>
          <FileField problem={problem} onFile={choose} />
          <div class="fields">
            <TextField name="from" type="date" label={t("from")} value={wanted.from} onInput={(from) => set({ from })} />
            <TextField name="to" type="date" label={t("to")} value={wanted.to} onInput={(to) => set({ to })} />
          </div>
          <p class="hint">{t("rcPeriod", { zone: zone() })}</p>
          <div class="actions">
            <Button kind="primary" icon="check" type="submit" busy={busy}>
              {t("rcCompare")}
            </Button>
          </div>
        </form>
        {error && <Problem error={error} />}
      </Section>
      {found && <Outcome of={found} heading={heading} />}
    </>
  );
}

export function ReconcilePage() {
  const { projectId, environment } = useSession();
  return (
    <Page title={t("reconcile")} lead={t("rcLead")}>
      <Comparing key={`${projectId} ${environment}`} />
    </Page>
  );
}
