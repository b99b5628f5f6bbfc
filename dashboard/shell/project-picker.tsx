import { useEffect, useState } from 'preact/hooks';
import { useQuery } from '../api/use-query.js';
import { Dialog } from '../components/dialog.js';
import { Field } from '../components/field.js';
import { Icon } from '../components/icon.js';
import { Name } from '../components/name.js';
import { Empty, Loaded } from '../components/states.js';
import { addressOf } from './addresses.js';
import { PROJECT_NAME, PROJECTS_BY_NAME } from './project-documents.js';

export interface ProjectPickerProps {
  projectId: string | undefined;
  /** The page that shows the chosen project; by default its own. */
  hrefOf?: (projectId: string) => string;
}

/** For admins: chooses the project that the pages show. */
export function ProjectPicker({ projectId, hrefOf = addressOf.project }: ProjectPickerProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="button button-quiet button-small picker" onClick={() => setOpen(true)}>
        {projectId === undefined ? 'Choose a project' : <ProjectName key={projectId} id={projectId} />}
        <Icon name="switch" />
      </button>
      {isOpen && <PickDialog hrefOf={hrefOf} onClose={() => setOpen(false)} />}
    </>
  );
}

const RENAMED = 'projectrenamed';

/** Call it after a project was renamed, so that the header shows its new name. */
export function noteRename(): void {
  window.dispatchEvent(new Event(RENAMED));
}

/** The name of the project that the pages show. */
export function ProjectName({ id }: { id: string }) {
  const { result, refetch } = useQuery(PROJECT_NAME, { id });
  useEffect(() => {
    const read = () => void refetch();
    window.addEventListener(RENAMED, read);
    return () => window.removeEventListener(RENAMED, read);
  }, [refetch]);
  return (
    <span>
      <span class="visually-hidden">Project: </span>
      <Name>{result?.project?.name ?? id}</Name>
    </span>
  );
}

interface PickDialogProps extends Required<Pick<ProjectPickerProps, 'hrefOf'>> {
  onClose: () => void;
}

function PickDialog({ hrefOf, onClose }: PickDialogProps) {
  const [text, setText] = useState('');
  const query = useQuery(PROJECTS_BY_NAME, { filter: text === '' ? {} : { nameContains: text } });
  return (
    <Dialog title="Choose a project" onClose={onClose}>
      <Field label="Name" name="nameContains" type="search" value={text} onChange={setText} takesFocus />
      <Loaded query={query}>
        {({ projects }) =>
          projects.edges.length === 0 ? (
            <Empty title="No matching projects">Try another part of the name.</Empty>
          ) : (
            <ul class="picker-list">
              {projects.edges.map(({ node }) => (
                <li key={node.id}>
                  <a href={hrefOf(node.id)} onClick={onClose}>
                    <Name>{node.name}</Name>
                    <span class="quiet">{node.plan.name}</span>
                  </a>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Dialog>
  );
}
