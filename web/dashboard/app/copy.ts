// How long a browser may take to say what became of it: some never do.
const patienceMs = 1000;

// As browsers do where they have no clipboard, as on http, or forbid it. Beside the button, since what is outside of a
// dialog cannot be selected.
function copyOldWay(text: string, button: HTMLElement): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  field.readOnly = true;
  field.className = "said";
  field.setAttribute("aria-hidden", "true");
  button.after(field);
  try {
    field.focus();
    field.setSelectionRange(0, text.length);
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    field.remove();
    button.focus();
  }
}

// `tell`: whether it is in the clipboard; once more where it gets there later, as after a question of the browser.
export function copyText(text: string, button: HTMLElement, tell: (done: boolean) => void): void {
  let isDone = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const succeed = () => {
    clearTimeout(timer);
    if (!isDone) tell(true);
    isDone = true;
  };
  const tryOldWay = () => {
    clearTimeout(timer);
    if (isDone) return;
    if (copyOldWay(text, button)) succeed();
    else tell(false);
  };
  try {
    const writing = navigator.clipboard.writeText(text);
    timer = setTimeout(tryOldWay, patienceMs);
    void writing.then(succeed, tryOldWay);
  } catch {
    tryOldWay();
  }
}
