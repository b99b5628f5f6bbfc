/** Paths of 16 by 16 icons, with one stroke in the colour of the surrounding text. */
const PATHS = {
  account: 'M8 2.3a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM2.8 13.7c.5-2.6 2.5-4 5.2-4s4.7 1.4 5.2 4',
  audit: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01',
  check: 'M3 8.5 6.5 12 13 4.5',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  deploys: 'M8 10.5v-8M4.8 5.7 8 2.5l3.2 3.2M2.5 10.5v3h11v-3',
  domains:
    'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM1.8 8h12.4M8 1.8c2 1.7 2.8 3.8 2.8 6.2S10 12.5 8 14.2C6 12.5 5.2 10.4 5.2 8S6 3.5 8 1.8z',
  down: 'M4 6l4 4 4-4',
  external: 'M6.5 3.5h-3v9h9v-3M9.5 2.5h4v4M13 3 7.5 8.5',
  eye: 'M1.5 8s2.4-4.5 6.5-4.5S14.5 8 14.5 8 12.1 12.5 8 12.5 1.5 8 1.5 8zM8 6.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6z',
  gateway: 'M1.5 8h3l2-5 3 10 2-5h3',
  info: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM8 7.3v3.7M8 4.9v.2',
  keys: 'M5.2 8.1a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.4zM7.1 8.9l6.4-6.4M10.5 5.5l2 2',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  moon: 'M13.3 9.7A5.8 5.8 0 0 1 6.3 2.7a5.8 5.8 0 1 0 7 7z',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  next: 'M6 4l4 4-4 4',
  overview: 'M2.5 2.5H7V7H2.5zM9 2.5h4.5V7H9zM2.5 9H7v4.5H2.5zM9 9h4.5v4.5H9z',
  pets: 'M8 13.3S2 9.8 2 5.9a3 3 0 0 1 6-.7 3 3 0 0 1 6 .7c0 3.9-6 7.4-6 7.4z',
  plans: 'M8 2l6 3-6 3-6-3zM2 8l6 3 6-3M2 11l6 3 6-3',
  plus: 'M8 3v10M3 8h10',
  previous: 'M10 4 6 8l4 4',
  projects: 'M2 4h4l1.5 2H14v7H2z',
  sun: 'M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7',
  switch: 'M5 6.5 8 3.5l3 3M5 9.5l3 3 3-3',
  system: 'M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01',
  warning: 'M8 2.2 14.3 13H1.7zM8 6.5v3M8 11.2v.1',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
