// Decorative icons of 24 × 24; the text beside them says the same.
const paths = {
  overview: "M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-3H4zM14 7h6V4h-6z",
  charge: "M12 3 3 12l9 9 9-9zM8.5 12 12 8.5l3.5 3.5-3.5 3.5z",
  customer: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4 20c1.5-4 4.5-5 8-5s6.5 1 8 5",
  block: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M6 6l12 12",
  webhook: "M9 8a4 4 0 1 1 6 3l3 5M12 8l-4 8M6 14a4 4 0 1 0 4 4h8M18 14a4 4 0 1 1-3 6.5",
  event: "M3 12h4l3-8 4 16 3-8h4",
  request: "M4 5h16v14H4zM8 10l2 2-2 2M13 15h4",
  connection: "M3 10 12 4l9 6M5 10v8M10 10v8M14 10v8M19 10v8M3 20h18",
  key: "M15.5 12.5a4 4 0 1 0-4-4c0 .9.3 1.7.8 2.4L4 19.2V21h2.5v-2H9v-2.5h2l2.5-2.8c.6.5 1.2.8 2 .8zM16.5 7.5h.01",
  team: "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M2.5 20c1-4 3.5-5 6.5-5s5.5 1 6.5 5M16 4.5a3.5 3.5 0 0 1 0 6.5M18 15.5c2 .7 3 2.2 3.5 4.5",
  store: "M4 10v10h16V10M3 10l2-6h14l2 6c0 3-4 3-4.5 0-.5 3-4 3-4.5 0-.5 3-4 3-4.5 0-.5 3-4.5 3-4.5 0M10 20v-5h4v5",
  export: "M12 4v11M8 11l4 4 4-4M4 20h16",
  audit: "M12 3l8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6zM9 12l2 2 4-4",
  security: "M6 11h12v9H6zM9 11V7a3 3 0 0 1 6 0v4M12 15v2",
  docs: "M5 4h10l4 4v12H5zM9 12h6M9 16h6M14 4v5h5",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14M16 16l5 5",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6 6 18",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  plus: "M12 5v14M5 12h14",
  check: "M5 12.5 10 17.5 19 7",
  warning: "M12 4 2.5 20h19zM12 10v5M12 17.5v.5",
  out: "M10 4H5v16h5M14 8l4 4-4 4M9 12h9",
  next: "M9 5l7 7-7 7",
  back: "M15 5l-7 7 7 7",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
} as const;

export type IconName = keyof typeof paths;

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path d={paths[name]} />
  </svg>
);
