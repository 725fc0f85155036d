// The script of the file that the audit page saves: the verifier by itself, without a server.
import { render } from "preact";
import { showMarks } from "../components/visible_marks";
import { ReceiptCheck } from "./receipt_check";
import { wordsOf } from "./words";

showMarks();
const { lang } = document.documentElement;
const words = wordsOf(lang);
document.title = words.title;
render(
  <main>
    <h1>{words.title}</h1>
    <p>{words.lead}</p>
    <ReceiptCheck language={lang} publicKey={document.body.dataset.key ?? ""} />
  </main>,
  document.body,
);
