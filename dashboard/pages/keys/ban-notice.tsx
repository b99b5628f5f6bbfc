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

/** Shows why a key is banned and until when (specification 8.4). Admins can end the ban here. */
export function BanNotice({ apiKeyId, ban, isAdmin, onLifted }: BanNoticeProps) {
  const lift = useMutation(LIFT_BAN);
  const announce = useAnnounce();

  async function end() {
    if ((await lift.run({ input: { apiKeyId } })) === undefined) return;
    await onLifted();
    announce('The ban is lifted.');
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
          Over its limit, it went on asking before the time that <code>Retry-After</code> had told it. Until
          the ban ends, every request with it is answered 429 <code>key_banned</code>.{' '}
          {ban.offences === 1
            ? 'It is the first ban of the day; another would last twice as long.'
            : `It is ban number ${ban.offences} of the day; each lasts twice as long as the one before, up to a limit.`}
        </p>
        {lift.failure !== undefined && <FailureNotice failure={lift.failure} />}
        {isAdmin ? (
          <div>
            <Button isBusy={lift.isRunning} onPress={() => void end()}>
              Lift the ban
            </Button>
          </div>
        ) : (
          <p>
            It ends by itself. Have the program wait as long as <code>Retry-After</code> says; an admin of
            this gateway can lift the ban before.
          </p>
        )}
      </div>
    </Notice>
  );
}
