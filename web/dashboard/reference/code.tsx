import { CopyButton } from "../components/text";

export const Code = ({ text, what }: { text: string; what: string }) => (
  <div class="code">
    <CopyButton text={text} what={what} />
    <pre tabIndex={0} role="group" aria-label={what}>
      <code>{text}</code>
    </pre>
  </div>
);
