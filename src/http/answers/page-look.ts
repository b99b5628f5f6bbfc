/** The paw of the dashboard. */
export const PAW = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" fill="#c2552d">
  <ellipse cx="12" cy="29" rx="6.5" ry="8.5" transform="rotate(-22 12 29)" />
  <ellipse cx="25" cy="16" rx="6.5" ry="9" transform="rotate(-6 25 16)" />
  <ellipse cx="40" cy="16" rx="6.5" ry="9" transform="rotate(6 40 16)" />
  <ellipse cx="52.5" cy="29" rx="6.5" ry="8.5" transform="rotate(22 52.5 29)" />
  <path d="M32 30c8 0 17.5 11.5 17.5 19.5 0 5.5-4 8-8.5 8-3.5 0-5.5-1.8-9-1.8s-5.5 1.8-9 1.8c-4.500 0-8.5-2.5-8.5-8C14.5 41.5 24 30 32 30z" />
</svg>
`;

/** The colours are those of dashboard/styles/tokens.css, and have its contrasts. */
export const PAGE_COLOURS = `:root {
  color-scheme: light dark;
  --ground: light-dark(#fafaf9, #121110);
  --surface: light-dark(#ffffff, #1a1918);
  --sunken: light-dark(#f4f3f1, #211f1e);
  --line: light-dark(#e5e3df, #343130);
  --ink: light-dark(#1c1a18, #f0eeeb);
  --quiet: light-dark(#625d57, #a8a29b);
  --accent: light-dark(#b0451d, #f0936a);
  --mono: ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'Liberation Mono', monospace;
  --font: -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', system-ui, sans-serif;
  --bar-height: 2.75rem;
}
`;
