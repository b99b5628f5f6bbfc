import { useMutation } from '../../api/use-mutation.js';
import { ConfirmDialog } from '../../components/dialog.js';
import { Time } from '../../components/time.js';
import { ROLLBACK_DEPLOY, type Deploy } from './deploy-documents.js';

export interface RollBackProps {
  projectId: string;
  deploy: Deploy;
  onDone: (words: string) => Promise<void>;
  onClose: () => void;
}

export function RollBack({ projectId, deploy, onDone, onClose }: RollBackProps) {
  const rollBack = useMutation(ROLLBACK_DEPLOY);
  const { id, number, createdAt } = deploy;

  async function confirm() {
    const isDone = await rollBack.run({ input: { projectId, deployId: id } });
    if (isDone !== undefined) await onDone(`Deploy #${number} is live.`);
  }

  return (
    <ConfirmDialog
      title={`Roll back to deploy #${number}?`}
      action="Roll back"
      isBusy={rollBack.isRunning}
      failure={rollBack.failure}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p>
        All visitors get it at once: the site as it was created <Time at={createdAt} />. What is live now is
        kept, and you can come back to it in the same way.
      </p>
    </ConfirmDialog>
  );
}
