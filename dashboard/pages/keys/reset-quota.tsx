import type { QuotaWindowName } from '../../api/schema-types.js';
import { useState } from 'preact/hooks';
import { useMutation } from '../../api/use-mutation.js';
import { useAnnounce } from '../../components/announcer.js';
import { Dialog } from '../../components/dialog.js';
import { SelectField } from '../../components/field.js';
import { Form } from '../../components/form.js';
import { RESET_QUOTA, type ApiKey } from './key-documents.js';

export interface ResetQuotaProps {
  apiKey: ApiKey;
  onReset: () => Promise<void>;
  onClose: () => void;
}

/** For admins. */
export function ResetQuota({ apiKey: { id, name, quota }, onReset, onClose }: ResetQuotaProps) {
  const [window, setWindow] = useState<QuotaWindowName | 'both'>('both');
  const { run, failure, isRunning } = useMutation(RESET_QUOTA);
  const announce = useAnnounce();

  async function submit() {
    const reset = await run({ input: { apiKeyId: id, window: window === 'both' ? null : window } });
    if (reset === undefined) return;
    await onReset();
    onClose();
    announce(`The quota of ${name} begins anew.`);
  }

  return (
    <Dialog title={`Reset the quota of ${name}`} onClose={onClose}>
      <p>
        The window begins anew with nothing used. {quota.ban !== null && 'The ban stays: lift it by itself.'}
      </p>
      <Form
        onSubmit={() => void submit()}
        failure={failure}
        fields={['window']}
        action="Reset quota"
        isBusy={isRunning}
        onClose={onClose}
      >
        <SelectField
          label="Which window"
          name="window"
          value={window}
          choices={[
            { value: 'both', label: 'Both' },
            { value: 'minute', label: 'The minute' },
            { value: 'day', label: 'The day' },
          ]}
          onChange={setWindow}
          error={failure?.at('window')}
        />
      </Form>
    </Dialog>
  );
}
