import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { useSession } from '../api/session-context.js';
import { Button } from '../components/button.js';
import { Icon } from '../components/icon.js';
import { Name } from '../components/name.js';
import { addressOf } from './addresses.js';
import { Brand } from './brand.js';
import { Navigation } from './navigation.js';
import { ProjectName, ProjectPicker } from './project-picker.js';
import { Routes } from './routes.js';
import { ThemeToggle } from './theme-toggle.js';

/** The frame of every page: header, navigation, and the page in the middle. */
export function Frame() {
  const { session, signOut } = useSession();
  const { path, route } = useLocation();
  const projectId = useProjectId(path, session.projectId);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [path]);

  /** The next person to sign in may not be allowed to see this page. */
  async function leave() {
    if (await signOut()) route(addressOf.home, true);
  }

  return (
    <div class="frame">
      <a class="skip" href="#page">
        Skip to content
      </a>
      <header class="topbar">
        <a class="brand-link" href={addressOf.home}>
          <Brand />
        </a>
        <div class="topbar-names">
          {session.role === 'admin' ? (
            <ProjectPicker projectId={projectId} />
          ) : (
            projectId !== undefined && (
              <a class="project-name" href={addressOf.home}>
                <ProjectName key={projectId} id={projectId} />
              </a>
            )
          )}
          <span class="signed-in" title={`Key ID: ${session.keyId}`}>
            <Name>{session.keyName}</Name> <span class="quiet">({session.role})</span>
          </span>
        </div>
        <div class="topbar-end">
          <ThemeToggle />
          <Button isSmall onPress={() => void leave()}>
            Sign out
          </Button>
          <button
            type="button"
            class="button button-quiet button-small navigation-toggle"
            aria-label="Navigation"
            aria-expanded={isOpen}
            aria-controls="navigation"
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name={isOpen ? 'close' : 'menu'} />
          </button>
        </div>
      </header>
      <div class="columns">
        <Navigation path={path} projectId={projectId} role={session.role} isOpen={isOpen} />
        <main id="page" tabIndex={-1}>
          <Routes />
        </main>
      </div>
    </div>
  );
}

/**
 * Returns the project in the path. On pages without a project it returns the previous project, so that the navigation
 * still leads back to it; without a previous project, the project of the signed-in key.
 */
function useProjectId(path: string, own: string | null): string | undefined {
  const [latest, setLatest] = useState<string>();
  const named = /^\/dashboard\/projects\/([^/]+)/.exec(path)?.[1];
  useEffect(() => {
    if (named !== undefined) setLatest(named);
  }, [named]);
  const raw = named ?? latest;
  return raw === undefined ? (own ?? undefined) : decodeURIComponent(raw);
}
