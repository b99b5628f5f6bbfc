import { PLAN_IDS } from '../../../../src/features/plans/plans.js';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { curlOf } from '../../../api/curl.js';
import { usePages } from '../../../api/use-pages.js';
import { useQuery } from '../../../api/use-query.js';
import { useAnnounce } from '../../../components/announcer.js';
import { Button } from '../../../components/button.js';
import { Calls } from '../../../components/calls.js';
import { Card } from '../../../components/card.js';
import { Pager } from '../../../components/pager.js';
import { Empty, Loaded } from '../../../components/states.js';
import { addressOf } from '../../../shell/addresses.js';
import { FilterBar } from '../../../shell/filter-bar.js';
import { Page } from '../../../shell/page.js';
import { useFilters } from '../../../shell/use-filters.js';
import { CHANGE_PLAN } from '../../plans/plan-documents.js';
import { forAdmins } from '../for-admins.js';
import { ANY } from '../../keys/key-choices.js';
import { UPDATE_PROJECT } from '../../overview/overview-documents.js';
import { RenameProject } from '../../overview/rename-project.js';
import { ChangePlan } from '../../plans/change-plan.js';
import { PLAN_CHOICES } from '../../plans/plan-fields.js';
import { CreateProject } from './create-project.js';
import { DeleteProject } from './delete-project.js';
import { ALL_PROJECTS, CREATE_PROJECT, DELETE_PROJECT, type Project } from './project-documents.js';
import { ProjectTable } from './project-table.js';

const TITLE = 'Projects';
const FILTERS = { nameContains: 'text', plan: PLAN_IDS } as const;

type OpenDialog = { is: 'create' } | { is: 'rename' | 'plan' | 'delete'; project: Project };

export default forAdmins(TITLE, ProjectsPage);

function ProjectsPage() {
  const { filters, change } = useFilters(FILTERS);
  const pages = usePages(JSON.stringify(filters));
  const variables = { filter: filters, after: pages.after };
  const query = useQuery(ALL_PROJECTS, variables);
  const [open, setOpen] = useState<OpenDialog>();
  const announce = useAnnounce();
  const { route } = useLocation();
  const close = () => setOpen(undefined);

  return (
    <Page
      title={TITLE}
      description="All consumers of the API. Each project has a plan, keys and a site."
      actions={
        <Button kind="primary" onPress={() => setOpen({ is: 'create' })}>
          Create project
        </Button>
      }
    >
      <FilterBar
        label="Projects"
        filters={filters}
        onChange={change}
        fields={[
          { name: 'nameContains', label: 'Name' },
          { name: 'plan', label: 'Plan', choices: [ANY, ...PLAN_CHOICES] },
        ]}
      />
      <Card>
        <Loaded query={query} skeletonRows={8}>
          {({ projects: { edges, pageInfo } }) =>
            edges.length === 0 ? (
              <Empty title="No projects match these filters">Try another name or plan.</Empty>
            ) : (
              <>
                <ProjectTable
                  projects={edges.map(({ node }) => node)}
                  onRename={(project) => setOpen({ is: 'rename', project })}
                  onChangePlan={(project) => setOpen({ is: 'plan', project })}
                  onShowAudit={({ id }) => route(addressOf.auditOfProject(id))}
                  onDelete={(project) => setOpen({ is: 'delete', project })}
                />
                <Pager pages={pages} pageInfo={pageInfo} what="projects" />
              </>
            )
          }
        </Loaded>
      </Card>
      <Calls
        calls={[
          { title: 'List these projects', code: curlOf(ALL_PROJECTS, variables) },
          {
            title: 'Create a project',
            code: curlOf(CREATE_PROJECT, { input: { name: 'Happy Tails', plan: 'pro' } }),
          },
          {
            title: 'Change the plan of a project',
            code: curlOf(CHANGE_PLAN, {
              input: {
                projectId: 'proj_…',
                plan: 'enterprise',
                customQuota: { requestsPerMinute: 5000, requestsPerDay: 1_000_000 },
              },
            }),
          },
          {
            title: 'Rename a project',
            code: curlOf(UPDATE_PROJECT, { input: { projectId: 'proj_…', name: 'Happy Tails' } }),
          },
          {
            title: 'Delete a project permanently',
            code: curlOf(DELETE_PROJECT, { input: { projectId: 'proj_…', name: 'Happy Tails' } }),
          },
        ]}
      />
      {open?.is === 'create' && (
        <CreateProject
          onClose={close}
          onCreated={({ id, name }) => {
            route(addressOf.project(id));
            announce(`Created ${name}. Create a key for it next.`);
          }}
        />
      )}
      {open?.is === 'rename' && (
        <RenameProject project={open.project} onRenamed={query.refetch} onClose={close} />
      )}
      {open?.is === 'plan' && (
        <ChangePlan
          project={open.project}
          to={open.project.plan.id}
          onChanged={query.refetch}
          onClose={close}
        />
      )}
      {open?.is === 'delete' && (
        <DeleteProject project={open.project} onDeleted={query.refetch} onClose={close} />
      )}
    </Page>
  );
}
