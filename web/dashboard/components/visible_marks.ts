import { type ComponentChildren, Fragment, options, type VNode } from "preact";
import { shown } from "../app/hidden";

const shownIn = (child: ComponentChildren): ComponentChildren =>
  typeof child === "string" ? shown(child) : Array.isArray(child) ? child.map(shownIn) : child;
const changes = (child: ComponentChildren): boolean => (typeof child === "string" ? shown(child) !== child : Array.isArray(child) && child.some(changes));

// Makes all text on the page show hidden characters as escapes, wherever it comes from: a URL, a file, a form. Field
// values and copied texts stay unchanged.
export function showMarks(): void {
  const before = options.vnode;
  options.vnode = (vnode: VNode) => {
    const props = vnode.props as { children?: ComponentChildren };
    if ((typeof vnode.type === "string" || vnode.type === Fragment) && props && changes(props.children)) props.children = shownIn(props.children);
    before?.(vnode);
  };
}
