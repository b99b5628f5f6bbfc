import { FormDialog } from '../../components/form-dialog.js';
import { Time } from '../../components/time.js';
import { ChangesSummary } from './changes-summary.js';
import { ROLLBACK_DEPLOY, type Deploy } from './deploy-documents.js';

export interface RollBackProps {
  projectId: string;
  deploy: Deploy;
  onDone: (words: string) => Promise<void>;
  onClose: () => void;
}

export function RollBack({ projectId, deploy, onDone, onClose }: RollBackProps) {
  const { id, number, createdAt, changesFromLive } = deploy;
  return (
    <FormDialog
      title={`Roll back to deploy #${number}?`}
      action="Roll back"
      document={ROLLBACK_DEPLOY}
      variables={() => ({ input: { projectId, deployId: id } })}
      onDone={() => void onDone(`Deploy #${number} is live.`)}
      onClose={onClose}
    >
      <p>
        All visitors immediately get this deploy, created <Time at={createdAt} />. The gateway keeps the
        current deploy, so you can return to it in the same way.
      </p>
      {changesFromLive !== null && (
        <div>
          <p>Compared to the live deploy:</p>
          <ChangesSummary changes={changesFromLive} />
        </div>
      )}
    </FormDialog>
  );
}
