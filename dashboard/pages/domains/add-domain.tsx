import { useState } from 'preact/hooks';
import { useAnnounce } from '../../components/announcer.js';
import { Field, SelectField } from '../../components/field.js';
import { FormDialog } from '../../components/form-dialog.js';
import { ADD_DOMAIN } from './domain-documents.js';

export interface AddDomainProps {
  projectId: string;
  /** @param obstacles why it will not be served, a sentence each */
  onAdded: (id: string, obstacles: readonly string[]) => void;
  onClose: () => void;
}

type Adds = 'one' | 'both';

/** The other one of example.com and www.example.com. The gateway decides for names such as www.com. */
function counterpartOf(typed: string): string {
  // As the gateway reads a pasted URL: its host only.
  const [host = ''] = (typed.split('://').at(-1) ?? '').split(/[/?#:]/);
  const known = host === '' ? 'example.com' : host;
  return known.startsWith('www.') ? known.slice('www.'.length) : `www.${known}`;
}

/** Step 1 of the specification's section 1.1. */
export function AddDomain({ projectId, onAdded, onClose }: AddDomainProps) {
  const [name, setName] = useState('');
  const [adds, setAdds] = useState<Adds>('one');
  const counterpart = counterpartOf(name.trim());
  const announce = useAnnounce();
  return (
    <FormDialog
      title="Add domain"
      action="Add domain"
      document={ADD_DOMAIN}
      variables={() => ({ input: { projectId, name: name.trim(), withCounterpart: adds === 'both' } })}
      onDone={({ addDomain: { domain, counterpart, obstacles } }) => {
        onClose();
        onAdded(domain.id, obstacles);
        announce(
          counterpart === null
            ? `Added ${domain.unicodeName}. Add its DNS records at your provider, then choose Verify.`
            : `Added ${domain.unicodeName} and ${counterpart.unicodeName}. Add their DNS records at your provider, then choose Verify for both.`,
        );
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
      <SelectField
        label="With or without www"
        name="withCounterpart"
        hint="The redirect works as soon as both domains are served."
        value={adds}
        choices={[
          { value: 'one', label: 'Add only this domain' },
          { value: 'both', label: `Also add ${counterpart} and redirect it here` },
        ]}
        onChange={setAdds}
      />
    </FormDialog>
  );
}
