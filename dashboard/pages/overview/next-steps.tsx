import { DOMAINS_FROM, PLANS } from '../../../src/features/plans/plans.js';
import { ButtonLink } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { classNames } from '../../components/class-names.js';
import { Icon } from '../../components/icon.js';
import { addressOf } from '../../shell/addresses.js';
import type { ProjectOverview } from './overview-documents.js';

interface NextStep {
  title: string;
  text: string;
  isDone: boolean;
  /** Undefined while an earlier step is missing. */
  action: { label: string; href: string } | undefined;
}

export interface NextStepsProps {
  project: ProjectOverview;
  /** Whether the project got a request lately. */
  hasRequests: boolean;
}

/** Shows a new project's next steps; nothing if all are done. */
export function NextSteps({ project, hasRequests }: NextStepsProps) {
  const steps = stepsOf(project, hasRequests);
  if (steps.every(({ isDone }) => isDone)) return null;
  return (
    <Card title="Next steps">
      <ol class="next-steps">
        {steps.map(({ title, text, isDone, action }) => (
          <li key={title} class={classNames('next-step', isDone && 'is-done')}>
            <span class="next-step-mark">
              {isDone && <Icon name="check" />}
              <span class="visually-hidden">{isDone ? 'Done: ' : 'To do: '}</span>
            </span>
            <div class="next-step-text">
              <h3>{title}</h3>
              {!isDone && <p class="quiet">{text}</p>}
            </div>
            {!isDone && action !== undefined && (
              <ButtonLink isSmall href={action.href}>
                {action.label}
              </ButtonLink>
            )}
          </li>
        ))}
      </ol>
    </Card>
  );
}

function stepsOf(project: ProjectOverview, hasRequests: boolean): NextStep[] {
  const { id, site, liveDeploy, domains, apiKeys } = project;
  const hasKey = apiKeys.edges.some(({ node }) => node.role === 'server' || node.role === 'browser');
  const ofAnimals: NextStep = {
    title: 'Add your animals',
    text: 'Enter them one by one, or import a file from your shelter’s software.',
    isDone: project.hasPets,
    action: { label: 'Go to Animals', href: addressOf.animals(id) },
  };
  const ofKeys: NextStep = {
    title: 'Create a key for your application',
    text: 'A server key reads, adds, changes and removes animals over REST and GraphQL.',
    isDone: hasKey,
    action: { label: 'Create a key', href: addressOf.keys(id) },
  };
  const ofRequests: NextStep = {
    title: 'Send a first request',
    text: 'When you create a key, the page shows a command to copy. The request appears below within a minute.',
    isDone: hasRequests,
    action: { label: 'Go to Keys', href: addressOf.keys(id) },
  };
  if (site === null) return [ofAnimals, ofKeys, ofRequests];
  return [
    ofAnimals,
    ofKeys,
    ofRequests,
    {
      title: 'Publish a site',
      text: 'Publish the storefront in one click: a ready-made site that shows the available animals.',
      isDone: liveDeploy !== null,
      action: { label: 'Go to Deploys', href: addressOf.deploys(id) },
    },
    {
      title: 'Add a custom domain',
      isDone: domains.some(({ status }) => status === 'active'),
      ...domainStepOf(project),
    },
  ];
}

function domainStepOf({ id, plan, liveDeploy, domains }: ProjectOverview): Pick<NextStep, 'text' | 'action'> {
  if (!PLANS[plan.id].includesDomains)
    return {
      text: `Custom domains require a paid plan (${DOMAINS_FROM}).`,
      action: { label: 'Compare plans', href: addressOf.plansOf(id) },
    };
  if (domains.length > 0)
    return {
      text: 'Your domain is not active yet. The page Domains shows what is missing.',
      action: { label: 'Go to Domains', href: addressOf.domains(id) },
    };
  return {
    text: `${liveDeploy === null ? 'Possible when a site is published. ' : ''}If a certificate authority is set up, the gateway issues and renews its SSL certificate automatically.`,
    action: liveDeploy === null ? undefined : { label: 'Add domain', href: addressOf.domains(id) },
  };
}
