/** The logo of the product, a paw. */
export function Brand() {
  return (
    <span class="brand">
      <svg viewBox="0 0 64 64" width="22" height="22" aria-hidden="true">
        <ellipse cx="12" cy="29" rx="6.5" ry="8.5" transform="rotate(-22 12 29)" />
        <ellipse cx="25" cy="16" rx="6.5" ry="9" transform="rotate(-6 25 16)" />
        <ellipse cx="40" cy="16" rx="6.5" ry="9" transform="rotate(6 40 16)" />
        <ellipse cx="52.5" cy="29" rx="6.5" ry="8.5" transform="rotate(22 52.5 29)" />
        <path d="M32 30c8 0 17.5 11.5 17.5 19.5 0 5.5-4 8-8.5 8-3.5 0-5.5-1.8-9-1.8s-5.5 1.8-9 1.8c-4.5 0-8.5-2.5-8.5-8C14.5 41.5 24 30 32 30z" />
      </svg>
      Animal Adoption Store
    </span>
  );
}
