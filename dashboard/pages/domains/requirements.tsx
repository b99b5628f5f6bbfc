import { DOMAINS_FROM, PLANS } from '../../../src/features/plans/plans.js';
import { ButtonLink } from '../../components/button.js';
import { Notice } from '../../components/notice.js';
import { AtTime } from '../../components/time.js';
import { addressOf } from '../../shell/addresses.js';
import type { ProjectWithDomains } from './domain-documents.js';

/** Returns what a project needs before it can have a custom domain; undefined if nothing is missing. */
export function lackOf({ plan, liveDeploy }: ProjectWithDomains): 'plan' | 'deploy' | undefined {
  if (!PLANS[plan.id].includesDomains) return 'plan';
  return liveDeploy === null ? 'deploy' : undefined;
}

/** Shown in place of Add domain. */
export function Lack({ project }: { project: ProjectWithDomains }) {
  const lapsing = project.domains.find(({ problem }) => problem?.code === 'plan_required');
  const graceEnd = lapsing?.servedUntil ?? undefined;
  switch (lackOf(project)) {
    case undefined:
      return null;
    case 'plan':
      return (
        <Notice tone="info" title="Custom domains require a paid plan">
          <div class="stack">
            <p>
              This project is on the {project.plan.name} plan. To add custom domains, ask an admin of this
              gateway to change it to {DOMAINS_FROM}.
            </p>
            {graceEnd !== undefined && (
              <p>
                The grace period after the downgrade ends <AtTime at={graceEnd} />. Until then, the custom
                domains of this project stay served.
              </p>
            )}
            <div>
              <ButtonLink isSmall href={addressOf.plansOf(project.id)}>
                Compare plans
              </ButtonLink>
            </div>
          </div>
        </Notice>
      );
    case 'deploy':
      return (
        <Notice tone="info" title="Deploy the project first">
          <div class="stack">
            <p>A domain needs a site to serve, and this project has no successful deploy yet.</p>
            <div>
              <ButtonLink isSmall href={addressOf.deploys(project.id)}>
                Go to Deploys
              </ButtonLink>
            </div>
          </div>
        </Notice>
      );
  }
}
