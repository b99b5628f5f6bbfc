import { useState } from 'preact/hooks';
import { useAnnounce } from '../../components/announcer.js';
import { SelectField } from '../../components/field.js';
import { FormDialog } from '../../components/form-dialog.js';
import { SET_REDIRECT } from './domain-documents.js';

export interface SetRedirectProps {
  projectId: string;
  /** The domains of the project and its platform host. */
  names: readonly string[];
  /** Set if the dialog was opened from the menu of a domain. */
  from?: string | undefined;
  onSet: () => Promise<void>;
  onClose: () => void;
}

const STATUSES = [
  { value: '301', label: '301 Moved permanently' },
  { value: '302', label: '302 Found (temporary)' },
  { value: '307', label: '307 Temporary (keeps the method)' },
  { value: '308', label: '308 Permanent (keeps the method)' },
] as const;

type Status = (typeof STATUSES)[number]['value'];

export function SetRedirect({ projectId, names, from: chosen, onSet, onClose }: SetRedirectProps) {
  const [from, setFrom] = useState(chosen ?? names[0] ?? '');
  const [to, setTo] = useState(names.find((name) => name !== from) ?? '');
  const [status, setStatus] = useState<Status>('301');
  const announce = useAnnounce();
  const choices = names.map((name) => ({ value: name, label: name }));

  return (
    <FormDialog
      title="Add redirect"
      action="Add redirect"
      document={SET_REDIRECT}
      variables={() => ({ input: { projectId, from, to, status: Number(status) } })}
      onDone={() => {
        onClose();
        announce(`${from} now redirects to ${to}.`);
        void onSet();
      }}
      onClose={onClose}
    >
      <SelectField
        label="From"
        name="from"
        hint="Replaces an existing redirect from this domain."
        value={from}
        choices={choices}
        onChange={setFrom}
      />
      <SelectField
        label="To"
        name="to"
        hint="A domain that is already served."
        value={to}
        choices={choices}
        onChange={setTo}
      />
      <SelectField label="Status" name="status" value={status} choices={STATUSES} onChange={setStatus} />
    </FormDialog>
  );
}
