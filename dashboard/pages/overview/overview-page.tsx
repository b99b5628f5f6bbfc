import { curlOf } from '../../api/curl.js';
import { useQuery } from '../../api/use-query.js';
import { Calls } from '../../components/calls.js';
import { Loaded } from '../../components/states.js';
import { NoSuchProject } from '../../shell/no-project.js';
import { Page } from '../../shell/page.js';
import type { ProjectPageProps } from '../../shell/project-page.js';
import { firstDayOf } from '../keys/usage-range.js';
import { isUsed } from '../keys/window-meter.js';
import { NextSteps } from './next-steps.js';
import { OVERVIEW } from './overview-documents.js';
import { ProjectFacts } from './project-facts.js';
import { ProjectRefusals } from './project-refusals.js';
import { ProjectRequests } from './project-requests.js';
import { QuotaToday } from './quota-today.js';

const REFRESH_MS = 10_000;
const DAYS = 14;

export default function OverviewPage({ projectId }: ProjectPageProps) {
  const variables = { id: projectId, from: firstDayOf(DAYS, Date.now()) };
  const query = useQuery(OVERVIEW, variables, { pollAfterMs: () => REFRESH_MS });
  return (
    <Page title={query.result?.project?.name ?? 'Overview'} description="The project at a glance.">
      <Loaded query={query} skeletonRows={6}>
        {({ project, busiest }) => {
          if (project === null) return <NoSuchProject id={projectId} />;
          const keys = busiest.edges.map(({ node }) => node);
          const isInUse = keys.some(({ quota }) => isUsed(quota));
          return (
            <>
              {project.usage.requests === 0 && <NextSteps project={project} hasRequests={isInUse} />}
              <ProjectRequests project={project} usage={project.usage} isInUse={isInUse} />
              <QuotaToday project={project} keys={keys} />
              <ProjectFacts project={project} onChanged={query.refetch} />
              <ProjectRefusals projectId={projectId} refusals={project.refusals} />
              {project.usage.requests > 0 && <NextSteps project={project} hasRequests />}
              <Calls calls={[{ title: 'Read this overview', code: curlOf(OVERVIEW, variables) }]} />
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}
