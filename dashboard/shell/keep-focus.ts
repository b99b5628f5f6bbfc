/**
 * From now on, when the focused element is gone, such as a button whose action has succeeded, the heading of its card
 * takes the focus, or else that of the page. Otherwise the keyboard would go on from the top of the page.
 */
export function keepFocus(): void {
  let focused: Element | null = null;
  let card: Element | null | undefined;
  const remember = () => {
    focused = document.activeElement === document.body ? null : document.activeElement;
    card = focused?.closest('article, section');
  };
  document.addEventListener('focusin', remember);
  // A press beside everything ends the focus without another event.
  document.addEventListener('click', remember, true);
  new MutationObserver(() => {
    if (focused === null || focused.isConnected || document.activeElement !== document.body) return;
    const place = card?.isConnected ? card.querySelector('h2') : null;
    const heading = place ?? document.querySelector('h1');
    if (heading === null) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }).observe(document.body, { childList: true, subtree: true });
}
