import type { FunctionComponent } from 'preact';
import { useEffect } from 'preact/hooks';
import lazy, { ErrorBoundary } from 'preact-iso/lazy';
import { Route, Router, useLocation } from 'preact-iso/router';
import { useSession } from '../api/session-context.js';
import { addressOf } from './addresses.js';
import { NotFound } from './not-found.js';

/** What a page below a project gets from its address. */
export interface ProjectPageProps {
  projectId: string;
}

/** A file of its own for each page, loaded when somebody goes there. */
const Overview = lazy(() => import('../pages/overview/overview-page.js'));
const Domains = lazy(() => import('../pages/domains/domains-page.js'));
const Deploys = lazy(() => import('../pages/deploys/deploys-page.js'));
const Keys = lazy(() => import('../pages/keys/keys-page.js'));
const Key = lazy(() => import('../pages/keys/key-page.js'));
const Plans = lazy(() => import('../pages/plans/plans-page.js'));
const Pets = lazy(() => import('../pages/pets/pets-page.js'));
const AllProjects = lazy(() => import('../pages/admin/projects/projects-page.js'));
const AllKeys = lazy(() => import('../pages/admin/keys/all-keys-page.js'));
const Audit = lazy(() => import('../pages/admin/audit/audit-page.js'));
const System = lazy(() => import('../pages/admin/system/system-page.js'));

/**
 * Parameters of the address are properties of the page. The key makes each address a page of its own: nothing of
 * another project is left when somebody switches.
 */
export function Routes() {
  const { path } = useLocation();
  return (
    <ErrorBoundary>
      <Router>
        <Route key={path} path="/dashboard" component={Home} />
        <Route key={path} path="/dashboard/projects/:projectId" component={Overview} />
        <Route key={path} path="/dashboard/projects/:projectId/domains" component={Domains} />
        <Route key={path} path="/dashboard/projects/:projectId/deploys" component={Deploys} />
        <Route key={path} path="/dashboard/pets" component={Pets} />
        <Route key={path} path="/dashboard/projects/:projectId/keys" component={Keys} />
        <Route key={path} path="/dashboard/projects/:projectId/keys/:keyId" component={Key} />
        <Route key={path} path="/dashboard/plans" component={Plans} />
        <Route key={path} path="/dashboard/admin/projects" component={AllProjects} />
        <Route key={path} path="/dashboard/admin/keys" component={AllKeys} />
        <Route key={path} path="/dashboard/admin/audit" component={Audit} />
        <Route key={path} path="/dashboard/admin/system" component={System} />
        <Route key={path} default component={NotFound} />
      </Router>
    </ErrorBoundary>
  );
}

/** Owners land on their project, admins on all of them. */
const Home: FunctionComponent = () => {
  const { session } = useSession();
  const { route } = useLocation();
  const { projectId } = session;
  useEffect(() => {
    route(projectId === null ? addressOf.allProjects : addressOf.project(projectId), true);
  }, [route, projectId]);
  return null;
};
