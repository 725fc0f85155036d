import { t } from "../../app/i18n";
import { Page } from "../../components/page";
import { Note } from "../../components/states";

// Shown to roles that may not see the page; says who may.
export const OwnersAlone = ({ title }: { title: string }) => (
  <Page title={title}>
    <Note tone="warn">{t("ownersAlone")}</Note>
  </Page>
);
