import type { PlanId } from '../../../src/features/plans/plans.js';
import { useState } from 'preact/hooks';
import { curlOf } from '../../api/curl.js';
import { useSession } from '../../api/session-context.js';
import { useQuery } from '../../api/use-query.js';
import { Button } from '../../components/button.js';
import { Calls } from '../../components/calls.js';
import { Name } from '../../components/name.js';
import { Loaded } from '../../components/states.js';
import { addressOf } from '../../shell/addresses.js';
import { NoSuchProject } from '../../shell/no-project.js';
import { Page } from '../../shell/page.js';
import type { ProjectPageProps } from '../../shell/project-page.js';
import { ChangePlan } from './change-plan.js';
import { PlanCard } from './plan-card.js';
import { CHANGE_PLAN, PROJECT_PLAN, type Plan, type ProjectOnPlan } from './plan-documents.js';
import { PlansNote } from './plans-note.js';
import { WhomToAsk } from './whom-to-ask.js';

export function ProjectPlans({ projectId }: ProjectPageProps) {
  const { session } = useSession();
  const [changingTo, setChangingTo] = useState<PlanId>();
  const query = useQuery(PROJECT_PLAN, { id: projectId });
  const isAdmin = session.role === 'admin';
  const project = query.result?.project;

  return (
    <Page
      title="Plans"
      description={
        project && (
          <>
            <a href={addressOf.project(projectId)}>
              <Name>{project.name}</Name>
            </a>{' '}
            is on the {project.plan.name} plan. Each of its keys gets the full limits.
          </>
        )
      }
    >
      <Loaded query={query} skeletonRows={5}>
        {({ plans, project: found }) =>
          found === null ? (
            <NoSuchProject id={projectId} />
          ) : (
            <>
              <div class="plans">
                {plans.map((plan) => (
                  <PlanCard
                    key={plan.id}
                    plan={plan}
                    project={found}
                    action={isAdmin && actionFor(plan, found, () => setChangingTo(plan.id))}
                  />
                ))}
              </div>
              <p class="quiet small">
                Comparisons with the daily limits of other plans count admitted requests only. They leave out
                rejected requests, because many of those are retries of the same request.
              </p>
              <PlansNote />
              {!isAdmin && <WhomToAsk project={found} />}
              {changingTo !== undefined && (
                <ChangePlan
                  project={found}
                  to={changingTo}
                  onChanged={query.refetch}
                  onClose={() => setChangingTo(undefined)}
                />
              )}
            </>
          )
        }
      </Loaded>
      <Calls
        calls={[
          {
            title: 'Read the plans, and the last 30 days under each plan',
            code: curlOf(PROJECT_PLAN, { id: projectId }),
          },
          {
            title: 'Change the plan (admins)',
            code: curlOf(CHANGE_PLAN, { input: { projectId, plan: 'pro' } }),
          },
        ]}
      />
    </Page>
  );
}

/** For admins: to any other plan, and to other limits on a plan whose limits are agreed. */
function actionFor(plan: Plan, project: ProjectOnPlan, onPress: () => void) {
  const isCurrent = plan.id === project.plan.id;
  const isAgreed = plan.requestsPerDay === null;
  if (isCurrent && !isAgreed) return undefined;
  return <Button onPress={onPress}>{isCurrent ? 'Change limits' : `Change to ${plan.name}`}</Button>;
}
