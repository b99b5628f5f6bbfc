import { useMutation } from '../../../api/use-mutation.js';
import { useAnnounce } from '../../../components/announcer.js';
import { Button } from '../../../components/button.js';
import { FailureNotice } from '../../../components/form.js';
import { LIFT_BAN, type ApiKey } from '../../keys/key-documents.js';

export interface LiftBanProps {
  apiKey: ApiKey;
  onLifted: () => Promise<void>;
}

export function LiftBan({ apiKey: { id, name }, onLifted }: LiftBanProps) {
  const { run, failure, isRunning } = useMutation(LIFT_BAN);
  const announce = useAnnounce();

  async function lift() {
    if ((await run({ input: { apiKeyId: id } })) === undefined) return;
    announce(`Lifted the ban of ${name}.`);
    await onLifted();
  }

  return (
    <>
      <Button isSmall isBusy={isRunning} label={`Lift ban of ${name}`} onPress={() => void lift()}>
        Lift ban
      </Button>
      {failure !== undefined && <FailureNotice failure={failure} />}
    </>
  );
}
