import { useEffect, useState } from 'preact/hooks';
import { Button } from '../components/button.js';
import { Icon } from '../components/icon.js';
import { applyTheme, storedTheme, storeTheme } from './theme.js';

export function ThemeToggle() {
  const [theme, setTheme] = useState(storedTheme);
  const isSystemDark = useIsSystemDark();
  const isDark = theme === 'dark' || (theme === 'auto' && isSystemDark);

  function toggle() {
    const next = isDark ? 'light' : 'dark';
    applyTheme(next);
    storeTheme(next);
    setTheme(next);
  }

  return (
    <Button
      kind="quiet"
      isSmall
      label={isDark ? 'Use the light theme' : 'Use the dark theme'}
      onPress={toggle}
    >
      <Icon name={isDark ? 'sun' : 'moon'} />
    </Button>
  );
}

/** Some systems turn dark in the evening, while a page is open. */
function useIsSystemDark(): boolean {
  const [system] = useState(() => matchMedia('(prefers-color-scheme: dark)'));
  const [isDark, setDark] = useState(system.matches);
  useEffect(() => {
    const follow = () => setDark(system.matches);
    system.addEventListener('change', follow);
    return () => system.removeEventListener('change', follow);
  }, [system]);
  return isDark;
}
