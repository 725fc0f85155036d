import { useEffect, useRef, useState } from "preact/hooks";
import type { ApiError, Result } from "./api";

export interface Acting {
  busy: boolean;
  error: ApiError | null;
  run<T>(act: () => Promise<Result<T>>, done: (data: T) => void): void;
}

// An act that needs no form: once at a time, with what became of it.
export function useAct(): Acting {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  return {
    busy,
    error,
    run(act, done) {
      if (busy) return;
      setBusy(true);
      setError(null);
      void act().then((result) => {
        setBusy(false);
        if (result.ok) done(result.data);
        else setError(result.error);
      });
    },
  };
}

// `work` at once, and then at most every so many milliseconds while it is asked for.
export function useSparingly(work: () => void, everyMs: number): () => void {
  const latest = useRef(work);
  latest.current = work;
  const state = useRef<{ timer?: ReturnType<typeof setTimeout>; wanted: boolean }>({ wanted: false });
  useEffect(() => () => clearTimeout(state.current.timer), []);
  return () => {
    const now = state.current;
    if (now.timer !== undefined) {
      now.wanted = true;
      return;
    }
    const run = () => {
      latest.current();
      now.wanted = false;
      now.timer = setTimeout(() => {
        now.timer = undefined;
        if (now.wanted) run();
      }, everyMs);
    };
    run();
  };
}
