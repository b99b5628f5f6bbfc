import { useState } from 'preact/hooks';
import { useSession } from '../../api/session-context.js';
import { Button } from '../../components/button.js';
import { addressOf } from '../../shell/addresses.js';
import { Page } from '../../shell/page.js';
import { AnimalList } from './animal-list.js';

/** The animals of all projects. Admins change any of them, owners their own. */
export default function CataloguePage() {
  const { session } = useSession();
  const [isAdding, setAdding] = useState(false);
  const { projectId } = session;
  return (
    <Page
      title="Catalogue"
      description={
        projectId === null ? (
          'The animals of all projects, and those of no project. Animals that you add here belong to no project.'
        ) : (
          <>
            The animals of all projects. Everyone with a key can read them; only you can change{' '}
            <a href={addressOf.animals(projectId)}>your own</a>.
          </>
        )
      }
      actions={
        projectId === null && (
          <Button kind="primary" onPress={() => setAdding(true)}>
            Add animal
          </Button>
        )
      }
    >
      <AnimalList
        projectId={null}
        canChange={({ project }) => projectId === null || project?.id === projectId}
        isAdding={isAdding}
        onAdd={projectId === null ? () => setAdding(true) : undefined}
        onAddClose={() => setAdding(false)}
      />
    </Page>
  );
}
