import { useState } from 'preact/hooks';
import { curlOf } from '../../api/curl.js';
import { usePages } from '../../api/use-pages.js';
import { useQuery } from '../../api/use-query.js';
import { Button } from '../../components/button.js';
import { Calls } from '../../components/calls.js';
import { Card } from '../../components/card.js';
import { Pager } from '../../components/pager.js';
import { Empty, Loaded } from '../../components/states.js';
import { addressOf } from '../../shell/addresses.js';
import { NoSuchProject } from '../../shell/no-project.js';
import { Page } from '../../shell/page.js';
import type { ProjectPageProps } from '../../shell/routes.js';
import { CreateKey } from './create-key.js';
import { CREATE_KEY, PROJECT_KEYS } from './key-documents.js';
import { KeyFilters, NO_FILTERS, filterOf, isFiltering, type ChosenFilters } from './key-filters.js';
import { KeyTable } from './key-table.js';

const POLL_MS = 10_000;

export default function KeysPage({ projectId }: ProjectPageProps) {
  const [chosen, setChosen] = useState(NO_FILTERS);
  const [isCreating, setCreating] = useState(false);
  const pages = usePages();
  const variables = {
    projectId,
    filter: filterOf(projectId, chosen),
    orderBy: chosen.orderBy,
    after: pages.after,
  };
  const query = useQuery(PROJECT_KEYS, variables, { pollAfterMs: () => POLL_MS });
  const project = query.result?.project;
  const create = () => setCreating(true);

  function filter(filters: ChosenFilters) {
    setChosen(filters);
    pages.reset();
  }

  return (
    <Page
      title="Keys and quota"
      description={
        project && (
          <>
            Each key has a minute and a day of the plan for itself: {project.plan.name}.{' '}
            <a href={addressOf.plansOf(projectId)}>Compare the plans</a>
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
          if (isFirstOf && !isFiltering(chosen)) return <NoKeys onCreate={create} />;
          return (
            <Card>
              <KeyFilters chosen={chosen} onChange={filter} />
              {isFirstOf ? (
                <Empty
                  title="No key is like that"
                  action={<Button onPress={() => filter(NO_FILTERS)}>Show all keys</Button>}
                />
              ) : (
                <KeyTable projectId={projectId} keys={keys} />
              )}
              <Pager pages={pages} pageInfo={apiKeys.pageInfo} what="keys" />
            </Card>
          );
        }}
      </Loaded>
      <Calls
        calls={[
          { title: 'List the keys with their quota', code: curlOf(PROJECT_KEYS, variables) },
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

function NoKeys({ onCreate }: { onCreate: () => void }) {
  return (
    <Empty
      title="This project has no key yet"
      action={
        <Button kind="primary" onPress={onCreate}>
          Create the first key
        </Button>
      }
    >
      A program shows a key with each request. Create one and try it with the call that comes with it.
    </Empty>
  );
}
