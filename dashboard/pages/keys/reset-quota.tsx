import { useState } from 'preact/hooks';
import type { QuotaWindowName } from '../../api/schema-types.js';
import { useAnnounce } from '../../components/announcer.js';
import { SelectField } from '../../components/field.js';
import { FormDialog } from '../../components/form-dialog.js';
import { RESET_QUOTA, type ApiKey } from './key-documents.js';

export interface ResetQuotaProps {
  apiKey: ApiKey;
  onReset: () => Promise<void>;
  onClose: () => void;
}

/** For admins. */
export function ResetQuota({ apiKey: { id, name, quota }, onReset, onClose }: ResetQuotaProps) {
  const [window, setWindow] = useState<QuotaWindowName | 'both'>('both');
  const announce = useAnnounce();

  return (
    <FormDialog
      title={`Reset the quota of ${name}`}
      action="Reset quota"
      document={RESET_QUOTA}
      variables={() => ({ input: { apiKeyId: id, window: window === 'both' ? null : window } })}
      onDone={() => {
        onClose();
        announce(`The quota of ${name} begins anew.`);
        void onReset();
      }}
      onClose={onClose}
    >
      <p>
        The window begins anew with nothing used. {quota.ban !== null && 'The ban stays: lift it by itself.'}
      </p>
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
      />
    </FormDialog>
  );
}
