import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type ApiError, api, type CallOptions, type Meta, pathWith, type Query } from "./api";
import { useSession } from "./session";

export interface Resource<T> {
  data: T | undefined;
  meta: Meta | undefined;
  error: ApiError | null;
  // There may be older data meanwhile.
  loading: boolean;
  reload(): void;
  // What an act answered, in place of asking again.
  set(data: T): void;
}

interface State<T> {
  key: string;
  of: string; // the address that `data` is of
  data: T | undefined;
  meta: Meta | undefined;
  error: ApiError | null;
  loading: boolean;
}

// What a GET answers, asked again when the address, project or environment changes, or on `reload`; one under way is then
// waited for, so that what is asked again ever so often comes at all. While another query of the same path is on its way
// the last answer stays, unless that one fails. Null asks nothing.
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
      // It may have been answered before the act was.
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
      // An act may be answered when another moment of its object is shown.
      if (shown.current !== base) return;
      overtaken.current = underWay.current;
      setState((last) => ({ ...last, key: base, of: address ?? "", data, error: null, loading: false }));
    }, [base, address]),
  };
}
