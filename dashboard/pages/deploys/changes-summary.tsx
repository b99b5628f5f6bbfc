import type { FileChange } from '../../api/schema-types.js';
import type { DeployChanges } from './deploy-documents.js';

const WORDS: Record<FileChange, string> = { added: 'added', changed: 'changed', removed: 'removed' };

/** `2 added, 1 changed`, with the names of the files below. */
export function ChangesSummary({ changes }: { changes: DeployChanges }) {
  const { files } = changes;
  const total = changes.added + changes.changed + changes.removed;
  if (total === 0) return <span class="quiet">No file changed</span>;
  return (
    <details class="disclosure">
      <summary>{summaryOf(changes)}</summary>
      <ul class="changed-files small">
        {files.map(({ path, change }) => (
          <li key={path}>
            <span class="quiet">{WORDS[change]}</span> <span class="mono">{path}</span>
          </li>
        ))}
        {total > files.length && <li class="quiet">and {total - files.length} more</li>}
      </ul>
    </details>
  );
}

function summaryOf(changes: DeployChanges): string {
  return (['added', 'changed', 'removed'] as const)
    .filter((change) => changes[change] > 0)
    .map((change) => `${changes[change]} ${WORDS[change]}`)
    .join(', ');
}
