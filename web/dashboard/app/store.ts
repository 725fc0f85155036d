import { useEffect, useState } from "preact/hooks";

// A value that several parts of the page read, and are told of when it changes.
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
    // It may have changed between the rendering and now.
    read();
    return store.subscribe(read);
  }, [store]);
  return value;
}

// What the browser keeps for this origin. A browser that refuses to keep anything is one that forgets.
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
    // Forgotten with the page.
  }
}

// All that is kept under names that begin so.
export function forget(storage: "local" | "session", prefix: string): void {
  try {
    const where = window[`${storage}Storage`];
    for (const name of Object.keys(where)) if (name.startsWith(`pixledger.${prefix}`)) where.removeItem(name);
  } catch {
    // Nothing was kept.
  }
}
