import type { ComponentChildren } from "preact";
import { t } from "../app/i18n";
import { Icon, type IconName } from "./icon";

export type ButtonKind = "plain" | "primary" | "danger" | "quiet";

export interface ButtonProps {
  kind?: ButtonKind;
  icon?: IconName;
  type?: "button" | "submit";
  // While its act is in progress. Keeps the focus and ignores clicks.
  busy?: boolean;
  disabled?: boolean;
  onClick?: (event: MouseEvent) => void;
  label?: string;
  expanded?: boolean;
  controls?: string;
  children?: ComponentChildren;
}

export function Button({ kind = "plain", icon, type = "button", busy, disabled, onClick, label, expanded, controls, children }: ButtonProps) {
  return (
    <button
      type={type}
      class={`button ${kind}`}
      disabled={disabled}
      aria-disabled={busy ? "true" : undefined}
      aria-busy={busy ? "true" : undefined}
      aria-label={label}
      aria-expanded={expanded}
      aria-controls={controls}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {icon && <Icon name={icon} />}
      {children}
      {busy && <span class="said">{t("busy")}</span>}
    </button>
  );
}

export interface LinkButtonProps {
  href: string;
  kind?: ButtonKind;
  icon?: IconName;
  download?: string;
  outside?: boolean;
  children: ComponentChildren;
}

export const LinkButton = ({ href, kind = "plain", icon, download, outside, children }: LinkButtonProps) => (
  <a class={`button ${kind}`} href={href} download={download} {...(outside ? { target: "_blank", rel: "noreferrer" } : {})}>
    {icon && <Icon name={icon} />}
    {children}
  </a>
);
