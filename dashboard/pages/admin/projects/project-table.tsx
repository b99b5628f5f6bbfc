import { LIMITS } from '../../../../src/features/plans/plans.js';
import { formatCount } from '../../../components/format-count.js';
import { Icon } from '../../../components/icon.js';
import { Menu } from '../../../components/menu.js';
import { Name } from '../../../components/name.js';
import { Table } from '../../../components/table.js';
import { Time } from '../../../components/time.js';
import { addressOf } from '../../../shell/addresses.js';
import type { Project } from './project-documents.js';

export interface ProjectTableProps {
  projects: readonly Project[];
  onRename: (project: Project) => void;
  onChangePlan: (project: Project) => void;
  onShowAudit: (project: Project) => void;
  onDelete: (project: Project) => void;
}

export function ProjectTable({ projects, onRename, onChangePlan, onShowAudit, onDelete }: ProjectTableProps) {
  return (
    <Table
      caption="Projects"
      rows={projects}
      keyOf={({ id }) => id}
      columns={[
        {
          header: 'Project',
          cell: ({ id, name }) => (
            <div class="named">
              <a href={addressOf.project(id)}>
                <Name>{name}</Name>
              </a>
              <span class="quiet mono">{id}</span>
            </div>
          ),
        },
        { header: 'Plan', cell: (project) => <PlanOf project={project} /> },
        { header: 'Site', cell: (project) => <SiteOf project={project} /> },
        {
          header: 'Keys',
          cell: ({ id, name, apiKeys }) => (
            <a href={addressOf.keys(id)} aria-label={`Keys of ${name}: ${howMany(apiKeys)}`}>
              {howMany(apiKeys)}
            </a>
          ),
        },
        { header: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
        {
          header: 'Actions',
          isHeaderHidden: true,
          cell: (project) => (
            <Menu
              label={`Actions for ${project.name}`}
              items={[
                { label: 'Rename', onChoose: () => onRename(project) },
                { label: 'Change plan', onChoose: () => onChangePlan(project) },
                { label: 'Audit log', onChoose: () => onShowAudit(project) },
                { label: 'Delete', onChoose: () => onDelete(project), isDangerous: true },
              ]}
            />
          ),
        },
      ]}
    />
  );
}

function PlanOf({ project: { plan, customQuota } }: { project: Project }) {
  return (
    <div class="named">
      <span>{plan.name}</span>
      {customQuota !== null && (
        <span class="quiet small">
          {Object.entries(LIMITS)
            .map(([window, field]) => `${formatCount(customQuota[field])} per ${window}`)
            .join(', ')}
        </span>
      )}
    </div>
  );
}

/** Shows the site's label on the platform, as a link if the project has a live deploy. */
function SiteOf({ project: { slug, site, liveDeploy } }: { project: Project }) {
  if (site === null || liveDeploy === null) return <span class="quiet">{slug}</span>;
  return (
    <a href={site.url} target="_blank" rel="noreferrer">
      {slug} <Icon name="external" />
    </a>
  );
}

function howMany({ edges, pageInfo }: Project['apiKeys']): string {
  return pageInfo.hasNextPage ? `more than ${edges.length}` : String(edges.length);
}
