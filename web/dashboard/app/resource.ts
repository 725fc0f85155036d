import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type ApiError, api, type CallOptions, type Meta, pathWith, type Query } from "./api";
import { useSession } from "./session";

export interface Resource<T> {
  data: T | undefined;
  meta: Meta | undefined;
  error: ApiError | null;
  // Older data may be shown meanwhile.
  loading: boolean;
  reload(): void;
  // Sets the reply of an act instead of reading again.
  set(data: T): void;
}

interface State<T> {
  key: string;
  of: string; // the address of `data`
  data: T | undefined;
  meta: Meta | undefined;
  error: ApiError | null;
  loading: boolean;
}

// The reply of a GET, read again when the address, project or environment changes, or on `reload`. A read in progress
// is finished first, so frequent reloads still show data. While another query of the same path loads, the last reply
// stays, unless the new one fails. Null reads nothing.
export function useGet<T>(path: string | null, query?: Query, options?: CallOptions): Resource<T> {
  const { projectId, environment } = useSession();
  const base = path === null ? "" : options?.ofAccount ? path : `${projectId} ${environment} ${options?.environment ?? environment} ${path}`;
  const address = path === null ? null : pathWith(path, query);
  const [turn, setTurn] = useState(0);
  const [state, setState] = useState<State<T>>({ key: "", of: "", data: undefined, meta: undefined, error: null, loading: true });
  const given = useRef(options);
  const underWay = useRef(false);
  const again = useRef(false);
  const overtaken = useRef(false);
  const shown = useRef(base);
  given.current = options;
  shown.current = base;
  useEffect(() => {
    if (address === null) return;
    const leaving = new AbortController();
    underWay.current = true;
    again.current = false;
    overtaken.current = false;
    setState((last) => ({ ...(last.key === base ? last : { key: base, of: "", data: undefined, meta: undefined, error: null }), loading: true }));
    void api.get<T>(address, undefined, { ...given.current, signal: leaving.signal }).then((result) => {
      if (leaving.signal.aborted) return;
      underWay.current = false;
      if (again.current || overtaken.current) setTurn((last) => last + 1);
      // This reply may be older than the act.
      if (overtaken.current) return;
      setState((last) =>
        result.ok
          ? { key: base, of: address, data: result.data, meta: result.meta, error: null, loading: false }
          : { ...(last.key === base && last.of === address ? last : { key: base, of: "", data: undefined, meta: undefined }), error: result.error, loading: false },
      );
    });
    return () => {
      underWay.current = false;
      leaving.abort();
    };
  }, [base, address, turn]);
  const current = state.key === base;
  return {
    data: current ? state.data : undefined,
    meta: current ? state.meta : undefined,
    error: current ? state.error : null,
    loading: path !== null && (!current || state.loading),
    reload: useCallback(() => {
      if (underWay.current) again.current = true;
      else setTurn((last) => last + 1);
    }, []),
    set: useCallback((data: T) => {
      // The act's reply may arrive when another state of its object is shown.
      if (shown.current !== base) return;
      overtaken.current = underWay.current;
      setState((last) => ({ ...last, key: base, of: address ?? "", data, error: null, loading: false }));
    }, [base, address]),
  };
}
