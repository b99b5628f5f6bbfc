import type { Session } from '../api/session.js';
import { classNames } from '../components/class-names.js';
import { Icon, type IconName } from '../components/icon.js';
import { addressOf } from './addresses.js';

interface Entry {
  icon: IconName;
  label: string;
  href: string;
  /** Whether pages below its path belong to it. */
  hasChildren?: boolean;
}

export interface NavigationProps {
  path: string;
  /** Undefined if an admin has not chosen a project. */
  projectId: string | undefined;
  role: Session['role'];
  /** Whether the navigation is open on a phone, where it is collapsed by default. */
  isOpen: boolean;
}

export function Navigation({ path, projectId, role, isOpen }: NavigationProps) {
  return (
    <nav id="navigation" class={classNames('navigation', isOpen && 'is-open')} aria-label="Dashboard">
      {projectId !== undefined && (
        <Group title="Project" entries={entriesOfProject(projectId, role)} path={path} />
      )}
      <Group title="All projects" entries={role === 'staff' ? SHARED_BY_ALL : SHARED} path={path} />
      {role === 'admin' && <Group title="Admin" entries={ADMIN} path={path} />}
      <Group title="Account" entries={ACCOUNT} path={path} />
    </nav>
  );
}

const animalsOf = (projectId: string): Entry => ({
  icon: 'pets',
  label: 'Animals',
  href: addressOf.animals(projectId),
  hasChildren: true,
});

/** Staff see the pages that they may use. */
const entriesOfProject = (projectId: string, role: Session['role']): readonly Entry[] =>
  role === 'staff' ? [animalsOf(projectId)] : [animalsOf(projectId), ...entriesOfOwner(projectId)];

const entriesOfOwner = (projectId: string): readonly Entry[] => [
  { icon: 'overview', label: 'Overview', href: addressOf.project(projectId) },
  { icon: 'domains', label: 'Domains', href: addressOf.domains(projectId) },
  { icon: 'deploys', label: 'Deploys', href: addressOf.deploys(projectId) },
  { icon: 'keys', label: 'Keys and quota', href: addressOf.keys(projectId), hasChildren: true },
  { icon: 'account', label: 'Staff', href: addressOf.staff(projectId) },
  { icon: 'audit', label: 'Audit log', href: addressOf.projectAudit(projectId) },
];

const SHARED_BY_ALL: readonly Entry[] = [
  { icon: 'catalogue', label: 'Catalogue', href: addressOf.catalogue },
];

const SHARED: readonly Entry[] = [...SHARED_BY_ALL, { icon: 'plans', label: 'Plans', href: addressOf.plans }];

const ADMIN: readonly Entry[] = [
  { icon: 'gateway', label: 'Gateway', href: addressOf.gateway },
  { icon: 'projects', label: 'Projects', href: addressOf.allProjects },
  { icon: 'keys', label: 'Keys', href: addressOf.allKeys },
  { icon: 'audit', label: 'Audit log', href: addressOf.audit },
  { icon: 'system', label: 'System', href: addressOf.system },
];

const ACCOUNT: readonly Entry[] = [{ icon: 'account', label: 'Your sessions', href: addressOf.account }];

function Group({ title, entries, path }: { title: string; entries: readonly Entry[]; path: string }) {
  return (
    <div class="navigation-group">
      <h2>{title}</h2>
      <ul>
        {entries.map(({ icon, label, href, hasChildren = false }) => {
          const isHere = path === href || (hasChildren && path.startsWith(`${href}/`));
          return (
            <li key={href}>
              <a href={href} aria-current={isHere ? 'page' : undefined}>
                <Icon name={icon} />
                {label}
              </a>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
