import { Card } from '../../components/card.js';
import { CopyButton } from '../../components/copy-button.js';
import type { ProjectOnPlan } from './plan-documents.js';

/** For owners, who cannot change the plan. */
export function WhomToAsk({ project: { id } }: { project: ProjectOnPlan }) {
  return (
    <Card title="To change the plan">
      <p>
        Ask the operator of this gateway: an admin changes the plan, and agrees limits of your own on
        Enterprise. It holds from the next request on, and what was counted stays counted. They will need the
        project’s id:
      </p>
      <p class="plan-project">
        <code>{id}</code>
        <CopyButton value={id} what="id of the project" />
      </p>
    </Card>
  );
}
