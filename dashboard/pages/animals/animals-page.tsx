import { useState } from 'preact/hooks';
import { useSession } from '../../api/session-context.js';
import { useQuery } from '../../api/use-query.js';
import { Button, ButtonLink } from '../../components/button.js';
import { ExternalLink } from '../../components/external-link.js';
import { addressOf } from '../../shell/addresses.js';
import { NoSuchProject } from '../../shell/no-project.js';
import { Page } from '../../shell/page.js';
import type { ProjectPageProps } from '../../shell/project-page.js';
import { ANIMALS_PROJECT, type AnimalsProjectResult } from './animal-documents.js';
import { AnimalList } from './animal-list.js';
import { RemoveAll } from './remove-all.js';

/** The animals of one project: find, add, change and remove them. */
export default function AnimalsPage({ projectId }: ProjectPageProps) {
  const { session } = useSession();
  const isAdmin = session.role === 'admin';
  const query = useQuery(ANIMALS_PROJECT, { id: projectId });
  const [isAdding, setAdding] = useState(false);
  const [isRemovingAll, setRemovingAll] = useState(false);
  /** Counts the dialogs that removed all animals: the list is read again after each. */
  const [removals, setRemovals] = useState(0);
  const project = query.result?.project;

  return (
    <Page
      title="Animals"
      description={
        isAdmin ? (
          'The animals of this project. Animals that you add one by one with an admin key belong to no project: import a file, or sign in with an owner key of the project.'
        ) : (
          <>
            The animals of your project. Changes show <Places project={project} />. Each action here uses the
            quota of the key that you signed in with.
          </>
        )
      }
      actions={
        project && (
          <>
            <ButtonLink href={addressOf.importOf(projectId)}>Import a file</ButtonLink>
            {isAdmin ? (
              <Button kind="danger" onPress={() => setRemovingAll(true)}>
                Remove all animals
              </Button>
            ) : (
              <Button kind="primary" onPress={() => setAdding(true)}>
                Add animal
              </Button>
            )}
          </>
        )
      }
    >
      {project === null ? (
        <NoSuchProject id={projectId} />
      ) : (
        <AnimalList
          key={removals}
          projectId={projectId}
          canChange={() => true}
          isAdding={isAdding}
          onAdd={isAdmin ? undefined : () => setAdding(true)}
          onAddClose={() => setAdding(false)}
        />
      )}
      {isRemovingAll && project && (
        <RemoveAll
          project={project}
          onClose={() => {
            setRemovingAll(false);
            setRemovals(removals + 1);
          }}
        />
      )}
    </Page>
  );
}

/** Where visitors and clients see the animals. Only a site that is deployed can be opened. */
function Places({ project }: { project: AnimalsProjectResult['project'] | undefined }) {
  const site = project?.liveDeploy == null ? null : project.site;
  if (site === null) return <>in the responses of the API</>;
  return (
    <>
      on <ExternalLink href={site.url}>your site</ExternalLink> and in the responses of the API
    </>
  );
}
