import { Component, type ComponentChildren } from "preact";
import { t } from "../app/i18n";
import { Button } from "./button";
import { Page } from "./page";
import { Note } from "./states";

// Contains a page's error and shows a notice in its place; the rest of the application works on.
export class Boundary extends Component<{ children: ComponentChildren }, { broken: boolean }> {
  override state = { broken: false };

  static override getDerivedStateFromError() {
    return { broken: true };
  }

  override componentDidCatch(error: unknown) {
    console.error(error);
  }

  override render() {
    if (!this.state.broken) return this.props.children;
    return (
      <Page title={t("broken")}>
        <Note tone="bad">
          <div class="note-act">
            <p>{t("brokenWhy")}</p>
            <Button onClick={() => location.reload()}>{t("brokenReload")}</Button>
          </div>
        </Note>
      </Page>
    );
  }
}
