import { createStore, keep, kept } from "./store";

export type Theme = "system" | "light" | "dark";

const chosen = kept("local", "theme");
export const theme = createStore<Theme>(chosen === "light" || chosen === "dark" ? chosen : "system");

export function applyTheme(): void {
  const now = theme.get();
  if (now === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = now;
}

export function setTheme(next: Theme): void {
  keep("local", "theme", next === "system" ? null : next);
  theme.set(next);
  applyTheme();
}
