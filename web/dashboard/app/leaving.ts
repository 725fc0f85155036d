import { useEffect } from "preact/hooks";

// While mounted, the browser asks before leaving the page: what the server shows once would be lost.
export function useAskBeforeLeaving(): void {
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, []);
}
