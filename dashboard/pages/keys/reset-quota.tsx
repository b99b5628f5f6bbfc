import { useState } from 'preact/hooks';
import type { QuotaWindowName } from '../../api/schema-types.js';
import { useAnnounce } from '../../components/announcer.js';
import { SelectField } from '../../components/field.js';
import { FormDialog } from '../../components/form-dialog.js';
import { Name } from '../../components/name.js';
import { WINDOW_NAMES } from './key-words.js';
import { RESET_QUOTA, type ApiKey } from './key-documents.js';

export interface ResetQuotaProps {
  apiKey: ApiKey;
  onReset: () => Promise<void>;
  onClose: () => void;
}

/** For admins. */
export function ResetQuota({ apiKey: { id, name, quota }, onReset, onClose }: ResetQuotaProps) {
  const [window, setWindow] = useState<QuotaWindowName | 'all'>('all');
  const announce = useAnnounce();

  return (
    <FormDialog
      title={
        <>
          Reset the quota of <Name>{name}</Name>
        </>
      }
      action="Reset quota"
      document={RESET_QUOTA}
      variables={() => ({ input: { apiKeyId: id, window: window === 'all' ? null : window } })}
      onDone={() => {
        onClose();
        announce(`Reset the quota of ${name}.`);
        void onReset();
      }}
      onClose={onClose}
    >
      <p>The used requests are set to 0. {quota.ban !== null && 'The ban stays. Lift it separately.'}</p>
      <SelectField
        label="Window"
        name="window"
        value={window}
        choices={[
          { value: 'all', label: 'All windows' },
          ...WINDOW_NAMES.map((value) => ({
            value,
            label: `${value.charAt(0).toUpperCase()}${value.slice(1)}`,
          })),
        ]}
        onChange={setWindow}
      />
    </FormDialog>
  );
}
