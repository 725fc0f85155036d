import { t } from "../app/i18n";
import { type Environment, setEnvironment, useSession } from "../app/session";
import { Button } from "./button";
import { Page, type PageProps } from "./page";
import { Empty, Note } from "./states";
import { Badge } from "./text";

const Switch = ({ to, primary }: { to: Environment; primary?: boolean }) => (
  <Button kind={primary ? "primary" : "plain"} onClick={() => setEnvironment(to)}>
    {t("otherWorldGo", { name: t(to) })}
  </Button>
);

// Marks an item of the other environment in a list of both.
export const OfOtherWorld = ({ of }: { of: Environment }) => {
  const { environment } = useSession();
  return of === environment ? null : <Badge tone={of === "sandbox" ? "warn" : "info"}>{t(of)}</Badge>;
};

// Shown instead of something of the other environment.
export const OtherWorld = ({ to, ...page }: { to: Environment } & Pick<PageProps, "title" | "above">) => (
  <Page {...page}>
    <Empty title={t("otherWorld")}>
      <p>{t("otherWorldWhy", { name: t(to) })}</p>
      <Switch to={to} primary />
    </Empty>
  </Page>
);

// For what the sandbox shows and only production can change.
export const LiveAlone = ({ why }: { why: string }) => (
  <Note>
    <div class="note-act">
      <p>{why}</p>
      <Switch to="live" />
    </div>
  </Note>
);
