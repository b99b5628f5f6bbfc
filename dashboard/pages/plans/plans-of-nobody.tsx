import { curlOf } from '../../api/curl.js';
import { useQuery } from '../../api/use-query.js';
import { Calls } from '../../components/calls.js';
import { Loaded } from '../../components/states.js';
import { addressOf } from '../../shell/addresses.js';
import { Page } from '../../shell/page.js';
import { PLANS } from './plan-documents.js';
import { PlanCard } from './plan-card.js';

/** For an admin who has not chosen a project. */
export function PlansOfNobody() {
  const query = useQuery(PLANS, {});
  return (
    <Page
      title="Plans"
      description={
        <>
          To see what a plan would change for a project, or to change it, open one of{' '}
          <a href={addressOf.allProjects}>the projects</a> and its Keys and quota.
        </>
      }
    >
      <Loaded query={query} skeletonRows={5}>
        {({ plans }) => (
          <div class="plans">
            {plans.map((plan) => (
              <PlanCard key={plan.id} plan={plan} project={undefined} />
            ))}
          </div>
        )}
      </Loaded>
      <Calls calls={[{ title: 'The plans', code: curlOf(PLANS, {}) }]} />
    </Page>
  );
}
