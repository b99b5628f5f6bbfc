import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { Notice } from '../../components/notice.js';
import { addressOf } from '../../shell/addresses.js';
import type { KeyWithProject } from './key-documents.js';
import { StoreDownNotice, WindowMeter } from './window-meter.js';

export interface QuotaCardProps {
  apiKey: KeyWithProject;
  isAdmin: boolean;
  onReset: () => void;
}

export function QuotaCard({ apiKey: { quota, project, state, role }, isAdmin, onReset }: QuotaCardProps) {
  return (
    <Card
      title="Quota"
      description={
        project && (
          <>
            The limits of the <a href={addressOf.plansOf(project.id)}>{project.plan.name} plan</a>, for this
            key alone. REST and GraphQL share them.
          </>
        )
      }
      actions={
        isAdmin &&
        state === 'active' && (
          <Button isSmall onPress={onReset}>
            Reset quota
          </Button>
        )
      }
    >
      <StoreDownNotice quotas={[quota]} />
      <div class="windows">
        {quota.windows.map((window) => (
          <WindowMeter key={window.name} window={window} quota={quota} hasReset />
        ))}
      </div>
      {quota.ban === null && quota.strikes !== null && quota.strikes.count > 0 && (
        <Notice
          tone="warn"
          title={`This key has ${quota.strikes.count} ${quota.strikes.count === 1 ? 'strike' : 'strikes'}`}
        >
          Its client keeps sending requests before the time in <code>Retry-After</code> has passed.{' '}
          {quota.strikes.left} more {quota.strikes.left === 1 ? 'strike bans' : 'strikes ban'} the key.
        </Notice>
      )}
      {role === 'browser' && (
        <p class="quiet small">
          Each visitor gets a share of the minute limit, so one visitor can’t use up the key.
        </p>
      )}
    </Card>
  );
}
