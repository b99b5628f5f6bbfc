import { Card } from '../../components/card.js';
import { CopyButton } from '../../components/copy-button.js';
import type { ProjectOnPlan } from './plan-documents.js';

/** For owners, who cannot change the plan. */
export function WhomToAsk({ project: { id } }: { project: ProjectOnPlan }) {
  return (
    <Card title="Change your plan">
      <p>
        Ask an admin of this gateway. Admins can change the plan, or set custom limits on Enterprise. New
        limits apply from the next request, and usage so far still counts. Tell them your project ID:
      </p>
      <p class="copied">
        <code>{id}</code>
        <CopyButton value={id} what="project ID" />
      </p>
    </Card>
  );
}
