import { render } from 'preact';
import { LocationProvider } from 'preact-iso/router';
import { Announcer } from './components/announcer.js';
import { App } from './shell/app.js';
import { keepFocus } from './shell/keep-focus.js';
import { applyTheme, storedTheme } from './shell/theme.js';

applyTheme(storedTheme());
keepFocus();

const place = document.getElementById('dashboard');
if (place !== null)
  render(
    <LocationProvider scope="/dashboard">
      <Announcer>
        <App />
      </Announcer>
    </LocationProvider>,
    place,
  );
