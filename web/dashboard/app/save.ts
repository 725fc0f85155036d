// Gives the browser a file to save.
export function save(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // The browser has started to read it when click() returns.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
