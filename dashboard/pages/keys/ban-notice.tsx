import { useMutation } from '../../api/use-mutation.js';
import { useAnnounce } from '../../components/announcer.js';
import { Button } from '../../components/button.js';
import { FailureNotice } from '../../components/form.js';
import { Notice } from '../../components/notice.js';
import { Time, TimeOfDay } from '../../components/time.js';
import { LIFT_BAN, type Ban } from './key-documents.js';

export interface BanNoticeProps {
  apiKeyId: string;
  ban: Ban;
  isAdmin: boolean;
  onLifted: () => Promise<void>;
}

/** Shows why a key is banned and until when. Admins can end the ban here. */
export function BanNotice({ apiKeyId, ban, isAdmin, onLifted }: BanNoticeProps) {
  const lift = useMutation(LIFT_BAN);
  const announce = useAnnounce();

  async function end() {
    if ((await lift.run({ input: { apiKeyId } })) === undefined) return;
    await onLifted();
    announce('Lifted the ban.');
  }

  return (
    <Notice
      tone="bad"
      title={
        <>
          Banned until <TimeOfDay at={ban.until} /> (<Time at={ban.until} />)
        </>
      }
    >
      <div class="prose">
        <p>
          Its client sent more requests before the time in <code>Retry-After</code>. Until the ban ends, every
          request with this key gets 429 <code>key_banned</code>.{' '}
          {ban.offences === 1
            ? 'This is the first ban of the day. The next one would last twice as long.'
            : `This is ban number ${ban.offences} of the day. Each ban lasts twice as long as the one before, up to a limit.`}
        </p>
        {lift.failure !== undefined && <FailureNotice failure={lift.failure} />}
        {isAdmin ? (
          <div>
            <Button isBusy={lift.isRunning} onPress={() => void end()}>
              Lift ban
            </Button>
          </div>
        ) : (
          <p>
            Make your program wait as long as <code>Retry-After</code> says. An admin of this gateway can lift
            the ban earlier.
          </p>
        )}
      </div>
    </Notice>
  );
}
