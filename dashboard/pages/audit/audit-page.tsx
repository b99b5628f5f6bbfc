import { curlOf } from '../../api/curl.js';
import { usePages } from '../../api/use-pages.js';
import { useQuery } from '../../api/use-query.js';
import { Calls } from '../../components/calls.js';
import { Card } from '../../components/card.js';
import { Pager } from '../../components/pager.js';
import { Empty, Loaded } from '../../components/states.js';
import { Page } from '../../shell/page.js';
import type { ProjectPageProps } from '../../shell/project-page.js';
import { useFilters } from '../../shell/use-filters.js';
import { forAdmins } from '../admin/for-admins.js';
import { AUDIT_LOG } from './audit-documents.js';
import { AUDIT_FILTERS, AuditFilters, variablesOf } from './audit-filters.js';
import { AuditTable } from './audit-table.js';
import { ExportButtons } from './export-buttons.js';

const TITLE = 'Audit log';

/** The changes in all projects. */
export const AuditPage = forAdmins(TITLE, () => <AuditLog />);

/** The changes in one project. The gateway checks whether the signed-in key may see them. */
export function ProjectAuditPage({ projectId }: ProjectPageProps) {
  return <AuditLog projectId={projectId} />;
}

function AuditLog({ projectId }: Partial<ProjectPageProps>) {
  const { filters, change } = useFilters(AUDIT_FILTERS);
  const pages = usePages(JSON.stringify(filters));
  const chosen = { ...variablesOf(filters), ...(projectId !== undefined && { projectId }) };
  const variables = { ...chosen, after: pages.after };
  const query = useQuery(AUDIT_LOG, variables);

  return (
    <Page
      title={TITLE}
      description={`${projectId === undefined ? 'Changes' : 'Changes in this project'}, newest first. Animals that programs change with a project’s key are not recorded. All sign-ins of a key within an hour share one record. Times are in your time zone.`}
      actions={<ExportButtons variables={chosen} />}
    >
      <AuditFilters filters={filters} onChange={change} isOfProject={projectId !== undefined} />
      <Card>
        <Loaded query={query} skeletonRows={8}>
          {({ auditLog: { edges, pageInfo } }) =>
            edges.length === 0 ? (
              <Empty title="No audit records">
                No changes match these filters. Remove a filter to see more changes, or enter the full ID of a
                key.
              </Empty>
            ) : (
              <>
                <AuditTable records={edges.map(({ node }) => node)} />
                <Pager pages={pages} pageInfo={pageInfo} what="the audit log" />
              </>
            )
          }
        </Loaded>
      </Card>
      <Calls
        calls={[
          { title: 'List these records', code: curlOf(AUDIT_LOG, variables) },
          {
            title: 'Export all records at the command line',
            code: `npx pets-gateway audit ${projectId === undefined ? '' : `--project ${projectId} `}--csv > audit.csv`,
          },
        ]}
      />
    </Page>
  );
}
