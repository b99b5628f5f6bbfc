import { useState } from 'preact/hooks';
import { useAnnounce } from '../../components/announcer.js';
import { Field } from '../../components/field.js';
import { FormDialog } from '../../components/form-dialog.js';
import { ADD_DOMAIN } from './domain-documents.js';

export interface AddDomainProps {
  projectId: string;
  onAdded: (id: string) => void;
  onClose: () => void;
}

/** Step 1 of the specification's section 1.1. */
export function AddDomain({ projectId, onAdded, onClose }: AddDomainProps) {
  const [name, setName] = useState('');
  const announce = useAnnounce();
  return (
    <FormDialog
      title="Add domain"
      action="Add domain"
      document={ADD_DOMAIN}
      variables={() => ({ input: { projectId, name: name.trim() } })}
      onDone={({ addDomain: { domain } }) => {
        onClose();
        onAdded(domain.id);
        announce(`Added ${domain.unicodeName}. Add its DNS records at your provider, then choose Verify.`);
      }}
      onClose={onClose}
    >
      <Field
        label="Domain"
        name="name"
        hint="A domain or subdomain that you own, such as example.com or shop.example.com."
        placeholder="shop.example.com"
        value={name}
        onChange={setName}
        isRequired
        takesFocus
      />
    </FormDialog>
  );
}
