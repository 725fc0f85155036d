// The verifier as one file, which works without this service and offline: its own policy forbids all loading and
// sending.
import { toBase64, sha256, utf8 } from "./bytes";
import { wordsOf } from "./words";

// The path of the verifier's script, set by the build; fetched on demand.
declare const VERIFIER_PATH: string;

const style = `:root{color-scheme:light dark;--ink:#15201b;--back:#fff;--line:#767d86;--good:#0b6b3a;--bad:#a3161f}
@media(prefers-color-scheme:dark){:root{--ink:#ecf2ef;--back:#121917;--line:#8b949e;--good:#5fd394;--bad:#ff9b9b}}
html{background:var(--back);color:var(--ink)}
*{box-sizing:border-box}
body{margin:0 auto;max-width:60rem;padding:1.5rem 1rem;font:1rem/1.5 system-ui,sans-serif}
h1{font-size:1.5rem;margin:0}
.field{margin:1rem 0}
.field label{display:block;font-weight:600}
.hint{margin:.2rem 0}
textarea,input,.button{background:var(--back);color:var(--ink)}
textarea{width:100%;padding:.6rem;font:.875rem/1.4 ui-monospace,monospace;border:1px solid var(--line);border-radius:.4rem}
.button{min-height:2.75rem;padding:.5rem 1.2rem;font:inherit;font-weight:600;border:1px solid var(--line);border-radius:.4rem;cursor:pointer}
.note{margin-top:1.5rem;padding:.2rem 1rem;border:1px solid var(--line);border-left:.4rem solid var(--bad);border-radius:.4rem}
.note.good{border-left-color:var(--good)}
.strong{font-size:1.15rem;font-weight:700}
.good>.strong{color:var(--good)}
.bad>.strong{color:var(--bad)}
.long,td{overflow-wrap:anywhere}
.facts>div{display:grid;grid-template-columns:minmax(8rem,14rem) 1fr;gap:.5rem;padding:.3rem 0}
dt{font-weight:600}
dd{margin:0}
table{width:100%;border-collapse:collapse;margin:1rem 0}
th,td{text-align:left;vertical-align:top;padding:.4rem;border-top:1px solid var(--line)}
.said{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
@media(max-width:40rem){.facts>div{grid-template-columns:1fr;gap:0}thead{display:none}tr,td{display:block}td{border:0;padding:.1rem 0}tr{border-top:1px solid var(--line);padding:.5rem 0}td::before{content:attr(data-label) ": ";font-weight:600}}`;

const escaped = (text: string): string => text.replace(/[&<>"]/g, (each) => `&#${each.charCodeAt(0)};`);
const hashOf = async (text: string): Promise<string> => `'sha256-${toBase64(await sha256(utf8(text)))}'`;

/** The file's text in a language, with the key filled in; null if its script cannot be fetched. */
export async function savedVerifier(language: string, publicKey: string): Promise<string | null> {
  const response = await fetch(VERIFIER_PATH).catch(() => null);
  const script = response?.ok ? await response.text().catch(() => null) : null;
  if (script === null) return null;
  const { title } = wordsOf(language);
  const policy = `default-src 'none'; script-src ${await hashOf(script)}; style-src ${await hashOf(style)}; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="${escaped(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body data-key="${escaped(publicKey)}">
<script>${script}</script>
</body>
</html>
`;
}
