import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { type ApiError } from "../app/api";
import { errorText, reasonText } from "../app/errors";
import { t } from "../app/i18n";
import type { Resource } from "../app/resource";
import { navigate, withQuery } from "../app/router";
import { Button } from "./button";
import { Icon } from "./icon";

export const Loading = ({ lines = 3 }: { lines?: number }) => (
  <div class="loading" role="status">
    <span class="said">{t("loading")}</span>
    {Array.from({ length: lines }, (_, i) => (
      <span key={i} class="bone" />
    ))}
  </div>
);

export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="empty">
    <p class="strong">{title}</p>
    {children}
  </div>
);

// The API's error with the id to quote.
export function Problem({ error, retry }: { error: ApiError; retry?: () => void }) {
  return (
    <div class="problem" role="alert">
      <Icon name="warning" />
      <div>
        <p class="strong">{errorText(error)}</p>
        {error.details.length > 0 && (
          <ul>
            {error.details.map((each) => (
              <li key={each.field + each.reason}>
                <code>{each.field}</code> {reasonText(each)}
              </li>
            ))}
          </ul>
        )}
        {error.requestId && (
          <p class="soft small">
            {t("requestId")} <code>{error.requestId}</code>
          </p>
        )}
        {retry && <Button onClick={retry}>{t("retry")}</Button>}
      </div>
    </div>
  );
}

// If a list has become shorter than the page in the URL, shows its last page.
function useLastPage({ meta, loading }: Resource<unknown>): boolean {
  const beyond = meta !== undefined && meta.page > Math.max(1, meta.totalPages);
  const last = beyond && !loading ? meta.totalPages : null;
  useEffect(() => {
    if (last !== null) navigate(withQuery({ page: last > 1 ? last : null }), { replace: true });
  }, [last]);
  return beyond;
}

// Renders a resource in any state.
export function Loaded<T>({ of, children, lines }: { of: Resource<T>; children: (data: T) => ComponentChildren; lines?: number }) {
  const beyond = useLastPage(of);
  if (beyond && !of.error) return <Loading lines={lines} />;
  if (of.data === undefined) return of.error ? <Problem error={of.error} retry={of.reload} /> : <Loading lines={lines} />;
  return (
    <>
      {of.error && <Problem error={of.error} retry={of.reload} />}
      {children(of.data)}
    </>
  );
}

export const Note = ({ tone = "info", children }: { tone?: "info" | "warn" | "good" | "bad"; children: ComponentChildren }) => (
  <div class={`note ${tone}`}>{children}</div>
);
