import { useState } from 'preact/hooks';
import { useMutation } from '../../api/use-mutation.js';
import { useAnnounce } from '../../components/announcer.js';
import { Dialog } from '../../components/dialog.js';
import { Field } from '../../components/field.js';
import { Form } from '../../components/form.js';
import { ADD_DOMAIN } from './domain-documents.js';

export interface AddDomainProps {
  projectId: string;
  onAdded: (id: string) => Promise<void>;
  onClose: () => void;
}

/** Step 1 of the specification's section 1.1. */
export function AddDomain({ projectId, onAdded, onClose }: AddDomainProps) {
  const [name, setName] = useState('');
  const add = useMutation(ADD_DOMAIN);
  const announce = useAnnounce();

  async function submit() {
    const added = await add.run({ input: { projectId, name: name.trim() } });
    if (added === undefined) return;
    const { id, unicodeName } = added.addDomain.domain;
    onClose();
    await onAdded(id);
    announce(`${unicodeName} is added. Add its DNS records at your provider, then choose Verify.`);
  }

  return (
    <Dialog title="Add domain" onClose={onClose}>
      <Form
        onSubmit={() => void submit()}
        failure={add.failure}
        fields={['name']}
        action="Add domain"
        isBusy={add.isRunning}
        onClose={onClose}
      >
        <Field
          label="Domain"
          name="name"
          hint="A domain or subdomain of your own: example.com or shop.example.com."
          placeholder="shop.example.com"
          value={name}
          onChange={setName}
          error={add.failure?.at('name')}
          isRequired
          takesFocus
        />
      </Form>
    </Dialog>
  );
}
