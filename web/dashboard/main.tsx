import { render } from "preact";
import { App } from "./app/app";
import { readSession } from "./app/read_session";
import { language } from "./app/i18n";
import { startRouter } from "./app/router";
import { followOtherTabs, mayBeSignedIn, noLongerIn } from "./app/session";
import { applyTheme } from "./app/theme";
import { showMarks } from "./components/visible_marks";

showMarks();
applyTheme();
document.documentElement.lang = language.get();
startRouter();
followOtherTabs();
render(<App />, document.getElementById("app")!);
if (mayBeSignedIn()) void readSession();
else noLongerIn();
