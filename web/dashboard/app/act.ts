import { useState } from "preact/hooks";
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
