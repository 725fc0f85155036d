// Renders the document's descriptions: Markdown's paragraphs, **bold**, `code` and [links](https://…).
import type { ComponentChildren } from "preact";

const part = /(\*\*[^*]+\*\*|`[^`]+`|\[[^\]]+\]\(https:\/\/[^)\s]+\))/;

const inline = (text: string): ComponentChildren[] =>
  text.split(part).map((each) => {
    if (each.startsWith("**")) return <strong>{each.slice(2, -2)}</strong>;
    const link = /^\[(.+)\]\((https:.+)\)$/.exec(each);
    if (link)
      return (
        <a href={link[2]} target="_blank" rel="noreferrer">
          {link[1]}
        </a>
      );
    return each.startsWith("`") ? <code>{each.slice(1, -1)}</code> : each;
  });

export const Line = ({ text }: { text: string }) => <span>{inline(text)}</span>;

export const Prose = ({ text }: { text: string }) => (
  <div class="prose">
    {text.split(/\n{2,}/).map((paragraph, i) => (
      <p key={i}>{inline(paragraph)}</p>
    ))}
  </div>
);
