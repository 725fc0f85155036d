import { useEffect, useRef, useState } from "preact/hooks";
import { type ApiError, apiHeaders, errorOf, gates, pathWith } from "../../app/api";
import { addDays, dayOf, formatNumber, zone } from "../../app/format";
import { language, t } from "../../app/i18n";
import { sessionEnded, useSession } from "../../app/session";
import { Button } from "../../components/button";
import { SelectField, TextField } from "../../components/form";
import { Page, Section } from "../../components/page";
import { Note, Problem } from "../../components/states";
import { save } from "../../app/save";

const kinds = ["charges", "payments", "refunds", "deliveries"] as const;

interface Wanted {
  what: string;
  format: string;
  by: string;
  from: string;
  to: string;
}

// Collects a stream's parts and reports progress; throws if the stream breaks.
async function collect(response: Response, heard: (bytes: number) => void): Promise<Blob> {
  const parts: BlobPart[] = [];
  let bytes = 0;
  const reader = response.body!.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts, { type: response.headers.get("Content-Type") ?? "text/plain" });
    parts.push(value as Uint8Array<ArrayBuffer>);
    heard((bytes += value.byteLength));
  }
}

const isPaid = (what: string) => what === "charges" || what === "payments";

const nameOf = ({ what, format, from, to }: Wanted): string => `${[what, from, to].filter(Boolean).join("-")}.${format === "csv-br" ? "csv" : format}`;

// For the environment that is shown.
async function download(wanted: Wanted, environment: string, signal: AbortSignal, heard: (bytes: number) => void): Promise<ApiError | "cut off" | null> {
  const { what, by, ...rest } = wanted;
  const query = { ...rest, by: isPaid(what) ? by : null, language: language.get() === "en" ? "en" : "pt", environment, timezone: zone() };
  try {
    const response = await fetch(pathWith(`/api/v1/exports/${what}`, query), {
      headers: { ...apiHeaders(), Accept: "*/*" },
      credentials: "same-origin",
      signal,
    });
    if (response.status === 401) {
      sessionEnded();
      if (await gates.signIn()) return await download(wanted, environment, signal, heard);
    }
    if (!response.ok) {
      const error = await errorOf(response);
      if (error.code === "ERR_AUTH_013" && (await gates.confirm())) return await download(wanted, environment, signal, heard);
      return error;
    }
    save(await collect(response, heard), nameOf(wanted));
    return null;
  } catch {
    return signal.aborted ? null : "cut off";
  }
}

const Periods = ({ choose }: { choose(from: string, to: string): void }) => {
  const today = dayOf(new Date());
  const month = `${today.slice(0, 7)}-01`;
  const lastEnd = addDays(month, -1);
  const periods = [
    [t("exToday"), today, today],
    [t("exWeek"), addDays(today, -6), today],
    [t("exMonth"), month, today],
    [t("exLastMonth"), `${lastEnd.slice(0, 7)}-01`, lastEnd],
  ] as const;
  return (
    <div class="choices" role="group" aria-label={t("exPeriod")}>
      {periods.map(([name, from, to]) => (
        <button key={name} type="button" class="chip" onClick={() => choose(from, to)}>
          {name}
        </button>
      ))}
    </div>
  );
};

export function ExportsPage() {
  const { environment } = useSession();
  const today = dayOf(new Date());
  const [wanted, setWanted] = useState<Wanted>({ what: "charges", format: "xlsx", by: "recorded", from: addDays(today, -29), to: today });
  const [bytes, setBytes] = useState<number | null>(null);
  const [problem, setProblem] = useState<ApiError | "cut off" | null>(null);
  const [done, setDone] = useState(false);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const set = (part: Partial<Wanted>) => setWanted((last) => ({ ...last, ...part }));
  const run = async (event: Event) => {
    event.preventDefault();
    if (bytes !== null) return;
    setProblem(null);
    setDone(false);
    setBytes(0);
    running.current = new AbortController();
    const found = await download(wanted, environment, running.current.signal, setBytes);
    setDone(found === null && !running.current.signal.aborted);
    setProblem(found);
    setBytes(null);
  };
  return (
    <Page title={t("exports")} lead={t("exLead")}>
      <Section title={t("exports")} quiet>
        <form class="form" noValidate onSubmit={(event) => void run(event)}>
          <div class="fields">
            <SelectField name="what" label={t("exWhat")} value={wanted.what} onInput={(what) => set({ what })} choices={kinds.map((kind) => [kind, t(`ex_${kind}`)] as const)} />
            <SelectField
              name="format"
              label={t("exFormat")}
              value={wanted.format}
              onInput={(format) => set({ format })}
              choices={[
                ["xlsx", t("exXlsx")],
                ["csv-br", t("exCsvBr")],
                ["csv", t("exCsv")],
                ["jsonl", "JSON Lines"],
              ]}
            />
            {isPaid(wanted.what) && (
              <SelectField
                name="by"
                label={t("exBy")}
                value={wanted.by}
                onInput={(by) => set({ by })}
                choices={[
                  ["recorded", t("exByRecorded")],
                  ["paid", t("exByPaid")],
                ]}
              />
            )}
            <TextField name="from" type="date" label={t("from")} value={wanted.from} onInput={(from) => set({ from })} />
            <TextField name="to" type="date" label={t("to")} value={wanted.to} onInput={(to) => set({ to })} />
          </div>
          <Periods choose={(from, to) => set({ from, to })} />
          <p class="hint">{t("exZone", { zone: zone() })}</p>
          <p class="hint">{t(environment === "live" ? "exLive" : "exSandbox")}</p>
          <div class="actions">
            <Button kind="primary" icon="export" type="submit" busy={bytes !== null}>
              {t("exDownload")}
            </Button>
            {bytes !== null && <Button onClick={() => running.current?.abort()}>{t("cancel")}</Button>}
          </div>
          <div role="status">
            {bytes !== null && t("exBytes", { kib: formatNumber(Math.round(bytes / 1024)) })}
            {done && <Note tone="good">{t("exDone")}</Note>}
          </div>
        </form>
        {problem === "cut off" ? <Note tone="bad">{t("exCutOff")}</Note> : problem && <Problem error={problem} />}
      </Section>
    </Page>
  );
}
