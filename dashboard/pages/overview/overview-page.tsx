import { curlOf } from '../../api/curl.js';
import { useQuery } from '../../api/use-query.js';
import { Calls } from '../../components/calls.js';
import { Loaded } from '../../components/states.js';
import { NoSuchProject } from '../../shell/no-project.js';
import { Page } from '../../shell/page.js';
import type { ProjectPageProps } from '../../shell/project-page.js';
import { NextSteps } from './next-steps.js';
import { OVERVIEW } from './overview-documents.js';
import { ProjectFacts } from './project-facts.js';
import { QuotaToday } from './quota-today.js';

const REFRESH_MS = 30_000;

export default function OverviewPage({ projectId }: ProjectPageProps) {
  const query = useQuery(OVERVIEW, { id: projectId }, { pollAfterMs: () => REFRESH_MS });
  return (
    <Page title={query.result?.project?.name ?? 'Overview'} description="The project at a glance.">
      <Loaded query={query} skeletonRows={6}>
        {({ project, busiest }) =>
          project === null ? (
            <NoSuchProject id={projectId} />
          ) : (
            <>
              <NextSteps project={project} />
              <div class="grid">
                <ProjectFacts project={project} />
                <QuotaToday projectId={projectId} keys={busiest.edges.map(({ node }) => node)} />
              </div>
              <Calls calls={[{ title: 'Read this overview', code: curlOf(OVERVIEW, { id: projectId }) }]} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
