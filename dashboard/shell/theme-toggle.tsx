import { useState } from 'preact/hooks';
import { Button } from '../components/button.js';
import { Icon } from '../components/icon.js';
import { applyTheme, storedTheme, storeTheme } from './theme.js';

export function ThemeToggle() {
  const [theme, setTheme] = useState(storedTheme);
  const isDark = theme === 'dark' || (theme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);

  function toggle() {
    const next = isDark ? 'light' : 'dark';
    applyTheme(next);
    storeTheme(next);
    setTheme(next);
  }

  return (
    <Button kind="quiet" isSmall label={isDark ? 'Use light colours' : 'Use dark colours'} onPress={toggle}>
      <Icon name={isDark ? 'sun' : 'moon'} />
    </Button>
  );
}
