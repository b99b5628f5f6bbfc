import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { Table } from '../../components/table.js';
import { useMutation } from '../../api/use-mutation.js';
import { useAnnounce } from '../../components/announcer.js';
import { FailureNotice } from '../../components/form.js';
import { REMOVE_REDIRECT, type Redirect } from './domain-documents.js';

export interface RedirectsProps {
  projectId: string;
  redirects: readonly Redirect[];
  onAdd: () => void;
  onChanged: () => Promise<void>;
}

export function Redirects({ projectId, redirects, onAdd, onChanged }: RedirectsProps) {
  const remove = useMutation(REMOVE_REDIRECT);
  const announce = useAnnounce();

  async function removeFrom(from: string) {
    if ((await remove.run({ input: { projectId, from } })) === undefined) return;
    await onChanged();
    announce(`Removed the redirect from ${from}.`);
  }

  return (
    <Card
      title="Redirects"
      description="Send visitors from one domain to another. The path and query stay the same."
      actions={<Button onPress={onAdd}>Add redirect</Button>}
    >
      {remove.failure !== undefined && <FailureNotice failure={remove.failure} />}
      {redirects.length === 0 ? (
        <p class="quiet">
          No redirects. For example, send visitors of www.example.com to example.com, so that both addresses
          work.
        </p>
      ) : (
        <Table
          caption="Redirects"
          rows={redirects}
          keyOf={({ from }) => from}
          columns={[
            { header: 'From', cell: ({ from }) => <code>{from}</code> },
            { header: 'To', cell: ({ to }) => <code>{to}</code> },
            { header: 'Status', cell: ({ status }) => status },
            {
              header: 'Remove',
              isHeaderHidden: true,
              cell: ({ from }) => (
                <div class="actions">
                  <Button
                    isSmall
                    kind="danger"
                    label={`Remove the redirect from ${from}`}
                    isBusy={remove.isRunning}
                    onPress={() => void removeFrom(from)}
                  >
                    Remove
                  </Button>
                </div>
              ),
            },
          ]}
        />
      )}
    </Card>
  );
}
