import { ButtonLink } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { Name } from '../../components/name.js';
import { addressOf } from '../../shell/addresses.js';
import { StoreDownNotice, WindowMeter } from '../keys/window-meter.js';
import type { BusyKey, ProjectOverview } from './overview-documents.js';
import { limitsOf } from './project-requests.js';

/** Shows the keys with the most use today, against the limits of the plan. */
export function QuotaToday({ project, keys }: { project: ProjectOverview; keys: readonly BusyKey[] }) {
  return (
    <Card
      title="Quota today"
      description={
        <>
          The most used keys, counted at once. The{' '}
          <a href={addressOf.plansOf(project.id)}>{project.plan.name} plan</a> gives each key{' '}
          {limitsOf(project)}.
        </>
      }
      actions={
        <ButtonLink isSmall href={addressOf.keys(project.id)}>
          All keys
        </ButtonLink>
      }
    >
      {keys.length === 0 && <p class="quiet">No API keys yet. Each key has these limits for itself.</p>}
      <StoreDownNotice quotas={keys.map(({ quota }) => quota)} />
      {keys.map(({ id, name, quota }) => (
        <section key={id} class="busy-key">
          <h3>
            <a href={addressOf.key(project.id, id)}>
              <Name>{name}</Name>
            </a>
          </h3>
          <div class="windows">
            {quota.windows.map((window) => (
              <WindowMeter key={window.name} window={window} quota={quota} />
            ))}
          </div>
        </section>
      ))}
    </Card>
  );
}
