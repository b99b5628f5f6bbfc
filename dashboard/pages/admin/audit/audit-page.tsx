import { curlOf } from '../../../api/curl.js';
import { usePages } from '../../../api/use-pages.js';
import { useQuery } from '../../../api/use-query.js';
import { Calls } from '../../../components/calls.js';
import { Card } from '../../../components/card.js';
import { Pager } from '../../../components/pager.js';
import { SearchField } from '../../../components/search-field.js';
import { Empty, Loaded } from '../../../components/states.js';
import { Page } from '../../../shell/page.js';
import { useFilters } from '../../../shell/use-filters.js';
import { forAdmins } from '../for-admins.js';
import { AUDIT_LOG } from './audit-documents.js';
import { AuditTable } from './audit-table.js';

const TITLE = 'Audit log';
const FILTERS = { projectId: 'text', apiKeyId: 'text' } as const;

export default forAdmins(TITLE, AuditPage);

function AuditPage() {
  const { filters, change } = useFilters(FILTERS);
  const pages = usePages(JSON.stringify(filters));
  const variables = { ...filters, after: pages.after };
  const query = useQuery(AUDIT_LOG, variables);

  return (
    <Page
      title={TITLE}
      description="All changes, newest first. Records never change. Times are in your time zone."
    >
      <div class="filters" role="search" aria-label="Audit log">
        <SearchField
          label="Project ID"
          name="projectId"
          placeholder="proj_…"
          value={filters.projectId ?? ''}
          onSearch={(id) => change({ projectId: id.trim() })}
        />
        <SearchField
          label="Key ID"
          name="apiKeyId"
          placeholder="key_…"
          value={filters.apiKeyId ?? ''}
          onSearch={(id) => change({ apiKeyId: id.trim() })}
        />
      </div>
      <Card>
        <Loaded query={query} skeletonRows={8}>
          {({ auditLog: { edges, pageInfo } }) =>
            edges.length === 0 ? (
              <Empty title="No audit records">
                No changes were recorded for this project or key. Enter the full ID, or choose Audit log from
                the actions in the list of projects or keys.
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
      <Calls calls={[{ title: 'List these records', code: curlOf(AUDIT_LOG, variables) }]} />
    </Page>
  );
}
