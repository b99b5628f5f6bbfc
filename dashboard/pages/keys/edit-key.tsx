import { useState } from 'preact/hooks';
import { useAnnounce } from '../../components/announcer.js';
import { Field } from '../../components/field.js';
import { FormDialog } from '../../components/form-dialog.js';
import { Name } from '../../components/name.js';
import { ExpiryFields, expiresAtOf, expiryOf } from './expiry-fields.js';
import { UPDATE_KEY, type ApiKey } from './key-documents.js';
import { OriginsField, originsOf } from './origins-field.js';

export interface EditKeyProps {
  apiKey: ApiKey;
  onChanged: () => Promise<void>;
  onClose: () => void;
}

/** Changes what a key is called, when it expires and which pages may use it. */
export function EditKey({ apiKey, onChanged, onClose }: EditKeyProps) {
  const [name, setName] = useState(apiKey.name);
  const [origins, setOrigins] = useState(apiKey.allowedOrigins.join(' '));
  const [expiry, setExpiry] = useState(() => expiryOf(apiKey.expiresAt));
  const [isNewExpiry, setNewExpiry] = useState(false);
  const announce = useAnnounce();
  const isForBrowsers = apiKey.role === 'browser';

  return (
    <FormDialog
      title={
        <>
          Edit <Name>{apiKey.name}</Name>
        </>
      }
      action="Save changes"
      document={UPDATE_KEY}
      variables={() => ({
        input: {
          id: apiKey.id,
          name,
          // The field holds whole minutes: only a new choice is sent, so that an old time stays exact.
          expiresAt: isNewExpiry ? (expiresAtOf(expiry, Date.now()) ?? null) : undefined,
          allowedOrigins: isForBrowsers ? originsOf(origins) : undefined,
        },
      })}
      onDone={() => {
        onClose();
        announce(`Changed ${name.trim()}.`);
        void onChanged();
      }}
      onClose={onClose}
    >
      <Field label="Name" name="name" value={name} onChange={setName} isRequired takesFocus />
      {isForBrowsers && <OriginsField value={origins} onChange={setOrigins} />}
      <ExpiryFields
        expiry={expiry}
        onChange={(chosen) => {
          setExpiry(chosen);
          setNewExpiry(true);
        }}
      />
    </FormDialog>
  );
}
