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
          To compare plans for a project or change its plan, open it from{' '}
          <a href={addressOf.allProjects}>Projects</a>, then select its plan.
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
      <Calls calls={[{ title: 'List the plans', code: curlOf(PLANS, {}) }]} />
    </Page>
  );
}
