import { createContext, type ComponentChildren } from 'preact';
import { useCallback, useContext, useEffect, useState } from 'preact/hooks';
import { withCode } from './with-code.js';

type Announce = (text: string) => void;

const AnnouncerContext = createContext<Announce>(() => undefined);
const SaidContext = createContext('');
const SHOWN_MS = 6_000;

/** Announces in a few words what just happened, on the screen and to screen readers: "Copied." */
export const useAnnounce = () => useContext(AnnouncerContext);

/** Repeats what is announced, for screen readers: an open dialog hides everything beside it from them. */
export const SaidInDialog = () => (
  <p role="status" class="visually-hidden">
    {useContext(SaidContext)}
  </p>
);

/** A popover is above an open dialog, which covers everything else. */
const showOnTop = (toast: HTMLElement | null) => toast?.showPopover();

export function Announcer({ children }: { children: ComponentChildren }) {
  const [said, setSaid] = useState({ text: '', count: 0 });
  const announce = useCallback((text: string) => setSaid(({ count }) => ({ text, count: count + 1 })), []);
  useEffect(() => {
    if (said.text === '') return undefined;
    const timer = setTimeout(() => setSaid(({ count }) => ({ text: '', count })), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [said]);
  return (
    <AnnouncerContext.Provider value={announce}>
      <SaidContext.Provider value={said.text}>{children}</SaidContext.Provider>
      <div role="status">
        {said.text !== '' && (
          <p key={said.count} ref={showOnTop} popover="manual" class="toast">
            {withCode(said.text)}
          </p>
        )}
      </div>
    </AnnouncerContext.Provider>
  );
}
