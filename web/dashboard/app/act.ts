import { useEffect, useRef, useState } from "preact/hooks";
import type { ApiError, Result } from "./api";

export interface Acting {
  busy: boolean;
  error: ApiError | null;
  run<T>(act: () => Promise<Result<T>>, done: (data: T) => void): void;
}

// An act without a form: one call at a time, and its result.
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

// Runs `work` at once, and then at most once per `everyMs` while requested.
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
