import { type ComponentChildren, Fragment, options, type VNode } from "preact";

// Characters without a look of their own that turn the direction of what follows: a name with one reads as another.
const mark = "[\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]";
const one = new RegExp(mark);
const all = new RegExp(mark, "g");

export const withVisibleMarks = (text: string): string => text.replace(all, (found) => `[U+${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}]`);

const hasMarks = (child: ComponentChildren): boolean => (typeof child === "string" ? one.test(child) : Array.isArray(child) && child.some(hasMarks));
const shown = (child: ComponentChildren): ComponentChildren =>
  typeof child === "string" ? withVisibleMarks(child) : Array.isArray(child) ? child.map(shown) : child;

// From now on every text on the page shows them, wherever it comes from. What is typed and copied stays as it is.
export function showMarks(): void {
  const before = options.vnode;
  options.vnode = (vnode: VNode) => {
    const props = vnode.props as { children?: ComponentChildren };
    if ((typeof vnode.type === "string" || vnode.type === Fragment) && props && hasMarks(props.children)) props.children = shown(props.children);
    before?.(vnode);
  };
}
