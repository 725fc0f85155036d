import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { language, t, tn, tOr } from "../../app/i18n";
import { navigate, usePlace, withQuery } from "../../app/router";
import { useStore } from "../../app/store";
import { Button } from "../../components/button";
import { TextField } from "../../components/form";
import { Page, Section } from "../../components/page";
import { Empty, Loading, Note } from "../../components/states";
import { Badge } from "../../components/text";
import { inPortuguese, type OpenapiDocument, type Schema } from "../../reference/document";
import { SchemaFields } from "../../reference/field_list";
import { fits, type Operation, operationsOf, searchText } from "../../reference/operations";
import { OperationView } from "../../reference/operation_view";
import { Line, Prose } from "../../reference/prose";

// undefined while loading, null after a failure.
function useDocument(): { document: OpenapiDocument | null | undefined; again(): void } {
  const [turn, setTurn] = useState(0);
  const [document, setDocument] = useState<OpenapiDocument | null | undefined>(undefined);
  useEffect(() => {
    const leaving = new AbortController();
    setDocument(undefined);
    fetch("/openapi.json", { signal: leaving.signal })
      .then((response) => (response.ok ? (response.json() as Promise<OpenapiDocument>) : null))
      .then(setDocument)
      .catch(() => !leaving.signal.aborted && setDocument(null));
    return () => leaving.abort();
  }, [turn]);
  return { document, again: () => setTurn(turn + 1) };
}

const linkTo = (operation: Operation): string => `?operacao=${operation.id}`;

const OperationLink = ({ operation }: { operation: Operation }) => (
  <li>
    <a href={linkTo(operation)} class="operation-link">
      <span class="address">
        <Badge tone={operation.method === "GET" ? "info" : "good"}>{operation.isWebhook ? "WEBHOOK" : operation.method}</Badge>
        <code>{operation.path}</code>
      </span>
      <Line text={operation.summary} />
    </a>
  </li>
);

function Contents({ document, operations }: { document: OpenapiDocument; operations: Operation[] }) {
  const tags = [...new Set([...document.tags.map(({ name }) => name), ...operations.map(({ tag }) => tag)])];
  return (
    <>
      {tags.map((tag) => {
        const own = operations.filter((each) => each.tag === tag);
        const { title = tag, description } = document.tags.find(({ name }) => name === tag) ?? {};
        return (
          own.length > 0 && (
            <Section key={tag} title={title}>
              {description && (
                <p class="soft">
                  <Line text={description} />
                </p>
              )}
              <ul class="operations">
                {own.map((operation) => (
                  <OperationLink key={operation.id} operation={operation} />
                ))}
              </ul>
            </Section>
          )
        );
      })}
    </>
  );
}

// The document's schemas of errors, by content type.
const refusalForms = [
  ["application/json", "Error"],
  ["application/problem+json", "Problem"],
] as const;

// The operations that return an error code, or all codes with their operations.
function Codes({ document, operations, code }: { document: OpenapiDocument; operations: Operation[]; code: string }) {
  const all = [...new Set(operations.flatMap(({ answers }) => answers.flatMap(({ codes }) => codes)))].sort();
  return (
    <>
      {code === "todos" &&
        refusalForms.map(([type, name]) => (
          <Section key={type} title={`${t("docRefusalForm")}: ${type}`}>
            <SchemaFields document={document} schema={(document.components.schemas?.[name] ?? {}) as Schema} />
          </Section>
        ))}
      {code !== "todos" && !all.includes(code) && <Empty title={t("docsNoCode")}>{tOr(`error_${code}`, "")}</Empty>}
      {all
        .filter((each) => code === "todos" || each === code)
        .map((each) => (
          <Section key={each} title={each}>
            <ul class="operations">
              {operations
                .filter(({ answers }) => answers.some(({ codes }) => codes.includes(each)))
                .map((operation) => (
                  <OperationLink key={operation.id} operation={operation} />
                ))}
            </ul>
          </Section>
        ))}
    </>
  );
}

function Overview({ document, operations }: { document: OpenapiDocument; operations: Operation[] }) {
  const { query } = usePlace();
  const words = query.get("busca") ?? "";
  const texts = useMemo(() => new Map(operations.map((each) => [each.id, searchText(document, each)])), [document]);
  const found = words ? operations.filter(({ id }) => fits(texts.get(id) ?? "", words)) : operations;
  return (
    <>
      <form class="form" aria-label={t("docsSearch")} onSubmit={(event) => event.preventDefault()}>
        <TextField
          name="busca"
          type="search"
          label={t("docsSearch")}
          hint={t("docsSearchHint")}
          value={words}
          onInput={(value) => navigate(withQuery({ busca: value }), { replace: true })}
        />
        <p role="status" class="soft">
          {tn("docOperations", found.length)}
        </p>
      </form>
      {!words && (
        <Section title={t("docsBasics")}>
          <Prose text={document.info.description} />
          <p>
            <a href={language.get() === "en" ? "/docs/guide" : "/docs/guide/pt"}>{t("docsGuide")}</a> · <a href="?codigo=todos">{t("docsCodes")}</a> ·{" "}
            <a href="/openapi.json" target="_blank">openapi.json</a>
          </p>
        </Section>
      )}
      {found.length === 0 ? <Empty title={t("docsNothing")} /> : <Contents document={document} operations={found} />}
    </>
  );
}

// Focuses the heading of the selection, as of a new page.
function useFocusOn(what: string): void {
  const last = useRef(what);
  useEffect(() => {
    if (last.current === what) return;
    last.current = what;
    window.scrollTo(0, 0);
    document.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
  }, [what]);
}

function Reference({ document }: { document: OpenapiDocument }) {
  const { query } = usePlace();
  const operations = useMemo(() => operationsOf(document), [document]);
  const chosen = query.get("operacao");
  const code = query.get("codigo");
  const operation = operations.find(({ id }) => id === chosen);
  useFocusOn(`${chosen} ${code}`);
  const above = { href: "/docs", title: t("docs") };
  if (operation)
    return (
      <Page key="one" title={operation.summary} above={above}>
        <OperationView document={document} operation={operation} />
      </Page>
    );
  if (chosen)
    return (
      <Page key="none" title={t("docs")} above={above}>
        <Empty title={t("docsNoOperation")} />
      </Page>
    );
  if (code)
    return (
      <Page key="codes" title={code === "todos" ? t("docsCodes") : code} above={above}>
        <Codes document={document} operations={operations} code={code} />
      </Page>
    );
  return (
    <Page key="all" title={t("docs")} lead={t("docsLead")}>
      <Overview document={document} operations={operations} />
    </Page>
  );
}

export function DocsPage() {
  const { document: given, again } = useDocument();
  const current = useStore(language);
  const document = useMemo(() => given && (current === "en" ? given : inPortuguese(given)), [given, current]);
  if (document) return <Reference document={document} />;
  return (
    <Page title={t("docs")}>
      {document === undefined ? (
        <Loading lines={8} />
      ) : (
        <Note tone="bad">
          <div class="note-act">
            <p>{t("docsAway")}</p>
            <Button onClick={again}>{t("retry")}</Button>
          </div>
        </Note>
      )}
    </Page>
  );
}
