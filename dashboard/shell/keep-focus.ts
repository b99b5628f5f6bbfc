import { useEffect } from 'preact/hooks';

/**
 * When the focused element is gone, such as a button whose action has succeeded, the heading of its card takes the
 * focus, or that of the page. Otherwise the keyboard would go on from the top of the page.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let focused: Element | null = null;
    let card: Element | null | undefined;
    function remember() {
      focused = document.activeElement === document.body ? null : document.activeElement;
      card = focused?.closest('article, section');
    }
    const observer = new MutationObserver(() => {
      if (focused === null || focused.isConnected || document.activeElement !== document.body) return;
      const ofCard = card?.isConnected === true ? card.querySelector<HTMLElement>('h2') : null;
      const heading = ofCard ?? document.querySelector<HTMLElement>('h1');
      if (heading === null) return;
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
    });
    document.addEventListener('focusin', remember);
    // A press beside everything ends the focus without another event.
    document.addEventListener('click', remember, true);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      observer.disconnect();
      document.removeEventListener('focusin', remember);
      document.removeEventListener('click', remember, true);
    };
  }, []);
}
