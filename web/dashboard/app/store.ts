import { useEffect, useState } from "preact/hooks";

// An observable value that several components read.
export interface Store<T> {
  get(): T;
  set(next: T): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<T>(store: Store<T>): T {
  const [value, setValue] = useState(store.get());
  useEffect(() => {
    const read = () => setValue(() => store.get());
    // It may have changed since the rendering.
    read();
    return store.subscribe(read);
  }, [store]);
  return value;
}

// Values kept in the browser for this origin. If storage is denied, nothing is kept.
export function kept(storage: "local" | "session", name: string): string | null {
  try {
    return window[`${storage}Storage`].getItem(`pixledger.${name}`);
  } catch {
    return null;
  }
}

export function keep(storage: "local" | "session", name: string, value: string | null): void {
  try {
    const where = window[`${storage}Storage`];
    if (value === null) where.removeItem(`pixledger.${name}`);
    else where.setItem(`pixledger.${name}`, value);
  } catch {
    // Lost with the page.
  }
}

// Removes all kept values with this prefix.
export function forget(storage: "local" | "session", prefix: string): void {
  try {
    const where = window[`${storage}Storage`];
    for (const name of Object.keys(where)) if (name.startsWith(`pixledger.${prefix}`)) where.removeItem(name);
  } catch {
    // Nothing was kept.
  }
}
