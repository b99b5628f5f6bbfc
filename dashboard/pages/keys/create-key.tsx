import { useState } from 'preact/hooks';
import { useAnnounce } from '../../components/announcer.js';
import { Field, SelectField } from '../../components/field.js';
import { Notice } from '../../components/notice.js';
import { ExpiryFields, expiresAtOf, NO_EXPIRY } from './expiry-fields.js';
import { IssueSecret } from './issue-secret.js';
import { PROJECT_ROLES } from './key-choices.js';
import { CREATE_KEY, type CreateKeyVariables } from './key-documents.js';
import { OriginsField, originsOf } from './origins-field.js';
import { ROLE_MEANINGS, type ProjectRole } from './key-words.js';

export interface CreateKeyProps {
  /** Undefined for an admin key, which belongs to no project. */
  projectId?: string;
  onCreated: () => Promise<void>;
  onClose: () => void;
}

export function CreateKey({ projectId, onCreated, onClose }: CreateKeyProps) {
  const [name, setName] = useState('');
  const [role, setRole] = useState<ProjectRole>('server');
  const [origins, setOrigins] = useState('');
  const [expiry, setExpiry] = useState(NO_EXPIRY);
  const announce = useAnnounce();
  const isOfAdmin = projectId === undefined;
  const title = isOfAdmin ? 'Create admin key' : 'Create key';

  return (
    <IssueSecret
      title={title}
      action={title}
      document={CREATE_KEY}
      variables={(): CreateKeyVariables => ({
        input: {
          projectId,
          name,
          role: isOfAdmin ? 'admin' : role,
          allowedOrigins: role === 'browser' ? originsOf(origins) : undefined,
          expiresAt: expiresAtOf(expiry, Date.now()),
        },
      })}
      issuedOf={({ createApiKey }) => createApiKey}
      onSaved={({ apiKey }) => {
        onClose();
        announce(`Created the key ${apiKey.name}.`);
        void onCreated();
      }}
      onClose={onClose}
    >
      {isOfAdmin && (
        <Notice tone="warn">
          An admin key has full access to all projects. To create a key for one project, open the project’s
          page Keys and quota.
        </Notice>
      )}
      <Field
        label="Name"
        name="name"
        hint={
          isOfAdmin
            ? 'The person or program that will use the key.'
            : 'Helps you recognize the key. For example, the program that uses it.'
        }
        placeholder={isOfAdmin ? 'Jane, on call' : 'Shop backend'}
        value={name}
        onChange={setName}
        isRequired
        takesFocus
      />
      {!isOfAdmin && (
        <SelectField
          label="Role"
          name="role"
          hint={ROLE_MEANINGS[role]}
          value={role}
          choices={PROJECT_ROLES}
          onChange={setRole}
        />
      )}
      {role === 'browser' && <OriginsField value={origins} onChange={setOrigins} />}
      <ExpiryFields expiry={expiry} onChange={setExpiry} />
    </IssueSecret>
  );
}
