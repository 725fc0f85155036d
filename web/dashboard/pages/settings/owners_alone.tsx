import { t } from "../../app/i18n";
import { Page } from "../../components/page";
import { Note } from "../../components/states";

// What a role may not see, and who may.
export const OwnersAlone = ({ title }: { title: string }) => (
  <Page title={title}>
    <Note tone="warn">{t("ownersAlone")}</Note>
  </Page>
);
