// How long a browser may take to settle the copy; some never do.
const patienceMs = 1000;

// For browsers without a clipboard (http) or that forbid it. Placed beside the button, since text outside an open
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

// `tell`: whether the text was copied; called again if a late copy succeeds, such as after a permission prompt.
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
