import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { curlOf } from '../../api/curl.js';
import type { ApiKeyOrder } from '../../api/schema-types.js';
import { usePages } from '../../api/use-pages.js';
import { useQuery } from '../../api/use-query.js';
import { Button } from '../../components/button.js';
import { Calls, CodeBlock } from '../../components/calls.js';
import { Card } from '../../components/card.js';
import { Notice } from '../../components/notice.js';
import { Pager } from '../../components/pager.js';
import { useSelection } from '../../components/selection.js';
import { Empty, Loaded } from '../../components/states.js';
import { addressOf } from '../../shell/addresses.js';
import { FilterBar } from '../../shell/filter-bar.js';
import { NoSuchProject } from '../../shell/no-project.js';
import { Page } from '../../shell/page.js';
import type { ProjectPageProps } from '../../shell/project-page.js';
import { useFilters } from '../../shell/use-filters.js';
import { CreateKey } from './create-key.js';
import { CREATE_KEY, PROJECT_KEYS } from './key-documents.js';
import { KEY_FILTER_FIELDS, KEY_FILTERS, filterOf, isFiltering } from './key-filters.js';
import { RevokeChosen } from './revoke-chosen.js';
import { KeyTable } from './key-table.js';
import { StoreDownNotice } from './window-meter.js';

const POLL_MS = 10_000;

export default function KeysPage({ projectId }: ProjectPageProps) {
  const { filters, change } = useFilters(KEY_FILTERS);
  const [isCreating, setCreating] = useState(false);
  const pages = usePages(JSON.stringify(filters));
  const { route } = useLocation();
  const variables = {
    projectId,
    filter: filterOf(projectId, filters),
    orderBy: filters.orderBy ?? 'createdAt',
    after: pages.after,
  };
  // Polling stops while a secret may be visible: a response that ends the session would remove the secret.
  const query = useQuery(PROJECT_KEYS, variables, {
    pollAfterMs: () => (isCreating ? undefined : POLL_MS),
  });
  const project = query.result?.project;
  const sortBy = (order: ApiKeyOrder) => ({
    isOn: filters.orderBy === order,
    onToggle: () => change({ orderBy: filters.orderBy === order ? '' : order }),
  });
  const selection = useSelection();
  const create = () => setCreating(true);

  return (
    <Page
      title="Keys and quota"
      description={
        project && (
          <>
            Each key gets the full limits of the {project.plan.name} plan, shared by REST and GraphQL.{' '}
            {project.activeApiKeys} of {project.plan.maxApiKeys} keys are active.{' '}
            <a href={addressOf.plansOf(projectId)}>Compare plans</a>
          </>
        )
      }
      actions={
        project && (
          <Button kind="primary" onPress={create}>
            Create key
          </Button>
        )
      }
    >
      <Loaded query={query} skeletonRows={6}>
        {({ project: found, apiKeys }) => {
          if (found === null) return <NoSuchProject id={projectId} />;
          const keys = apiKeys.edges.map(({ node }) => node);
          const isFirstOf = keys.length === 0 && pages.number === 1;
          if (isFirstOf && !isFiltering(filters)) return <NoKeys projectId={projectId} onCreate={create} />;
          return (
            <>
              {found.activeApiKeys >= found.plan.maxApiKeys && (
                <AllKeysUsed projectId={projectId} plan={found.plan} />
              )}
              <FilterBar label="Keys" filters={filters} onChange={change} fields={KEY_FILTER_FIELDS} />
              <Card>
                {isFirstOf ? (
                  <Empty
                    title="No keys match these filters"
                    action={<Button onPress={() => route(addressOf.keys(projectId))}>Clear filters</Button>}
                  >
                    Try another name or state. Revoked and expired keys stay in the list.
                  </Empty>
                ) : (
                  <>
                    <RevokeChosen
                      keys={selection.chosenOf(keys)}
                      onClear={selection.clear}
                      onRevoked={query.refetch}
                    />
                    <StoreDownNotice quotas={keys.map(({ quota }) => quota)} />
                    <KeyTable projectId={projectId} keys={keys} sortBy={sortBy} selection={selection} />
                  </>
                )}
                <Pager pages={pages} pageInfo={apiKeys.pageInfo} what="keys" />
              </Card>
            </>
          );
        }}
      </Loaded>
      <Calls
        calls={[
          { title: 'List keys with their quota', code: curlOf(PROJECT_KEYS, variables) },
          {
            title: 'Create a key',
            code: curlOf(CREATE_KEY, { input: { projectId, name: 'Shop backend', role: 'server' } }),
          },
        ]}
      />
      {isCreating && (
        <CreateKey projectId={projectId} onCreated={query.refetch} onClose={() => setCreating(false)} />
      )}
    </Page>
  );
}

function AllKeysUsed({ projectId, plan }: { projectId: string; plan: { name: string; maxApiKeys: number } }) {
  return (
    <Notice
      tone="info"
      title={`You have reached the ${plan.name} plan’s limit of ${plan.maxApiKeys} active keys`}
    >
      To create another key, revoke one that you no longer need or{' '}
      <a href={addressOf.plansOf(projectId)}>upgrade the plan</a>. Existing keys keep working.
    </Notice>
  );
}

function NoKeys({ projectId, onCreate }: ProjectPageProps & { onCreate: () => void }) {
  return (
    <>
      <Empty
        title="No API keys yet"
        action={
          <Button kind="primary" onPress={onCreate}>
            Create your first key
          </Button>
        }
      >
        A program sends a key with each request. Create a key, then try it with the example request that comes
        with it.
      </Empty>
      <CodeBlock
        title="Or create it at the command line"
        code={`npx pets-gateway keys create --name backend --project ${projectId}`}
      />
    </>
  );
}
