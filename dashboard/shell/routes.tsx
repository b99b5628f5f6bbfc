import type { FunctionComponent } from 'preact';
import { useEffect } from 'preact/hooks';
import lazy, { ErrorBoundary } from 'preact-iso/lazy';
import { Route, Router, useLocation } from 'preact-iso/router';
import { useSession } from '../api/session-context.js';
import { addressOf } from './addresses.js';
import { NotFound } from './not-found.js';

/** Pages load on first use, in groups that people use together: one file per page would be thirty files. */
const site = () => import('../pages/site-pages.js');
const Overview = lazy(() => site().then((pages) => pages.Overview));
const Domains = lazy(() => site().then((pages) => pages.Domains));
const Deploys = lazy(() => site().then((pages) => pages.Deploys));
const api = () => import('../pages/api-pages.js');
const Keys = lazy(() => api().then((pages) => pages.Keys));
const Key = lazy(() => api().then((pages) => pages.Key));
const Staff = lazy(() => api().then((pages) => pages.Staff));
const Plans = lazy(() => api().then((pages) => pages.Plans));
const Account = lazy(() => api().then((pages) => pages.Account));
const animals = () => import('../pages/animal-pages.js');
const Animals = lazy(() => animals().then((pages) => pages.Animals));
const Catalogue = lazy(() => animals().then((pages) => pages.Catalogue));
const ImportAnimals = lazy(() => animals().then((pages) => pages.ImportAnimals));
const admin = () => import('../pages/admin/admin-pages.js');
const Gateway = lazy(() => admin().then((pages) => pages.Gateway));
const AllProjects = lazy(() => admin().then((pages) => pages.AllProjects));
const AllKeys = lazy(() => admin().then((pages) => pages.AllKeys));
const System = lazy(() => admin().then((pages) => pages.System));
const audit = () => import('../pages/audit-pages.js');
const Audit = lazy(() => audit().then((pages) => pages.Audit));
const ProjectAudit = lazy(() => audit().then((pages) => pages.ProjectAudit));

/**
 * Passes the path parameters to the page as properties. The key makes each path a page of its own, so nothing of
 * another project remains after a switch.
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
        <Route key={path} path="/dashboard/projects/:projectId/animals" component={Animals} />
        <Route key={path} path="/dashboard/projects/:projectId/animals/import" component={ImportAnimals} />
        <Route key={path} path="/dashboard/catalogue" component={Catalogue} />
        <Route key={path} path="/dashboard/projects/:projectId/keys" component={Keys} />
        <Route key={path} path="/dashboard/projects/:projectId/keys/:keyId" component={Key} />
        <Route key={path} path="/dashboard/projects/:projectId/staff" component={Staff} />
        <Route key={path} path="/dashboard/projects/:projectId/audit" component={ProjectAudit} />
        <Route key={path} path="/dashboard/account" component={Account} />
        <Route key={path} path="/dashboard/plans" component={Plans} />
        <Route key={path} path="/dashboard/admin" component={Gateway} />
        <Route key={path} path="/dashboard/admin/projects" component={AllProjects} />
        <Route key={path} path="/dashboard/admin/keys" component={AllKeys} />
        <Route key={path} path="/dashboard/admin/audit" component={Audit} />
        <Route key={path} path="/dashboard/admin/system" component={System} />
        <Route key={path} default component={NotFound} />
      </Router>
    </ErrorBoundary>
  );
}

/** Sends staff to the animals, owners to their project, admins to the gateway. */
const Home: FunctionComponent = () => {
  const { session } = useSession();
  const { route } = useLocation();
  const { projectId, role } = session;
  useEffect(() => {
    const ofProject = role === 'staff' ? addressOf.animals : addressOf.project;
    route(projectId === null ? addressOf.gateway : ofProject(projectId), true);
  }, [route, projectId, role]);
  return null;
};
