import { useState } from 'preact/hooks';
import { useAnnounce } from '../../components/announcer.js';
import { classNames } from '../../components/class-names.js';
import { formatSize } from './format-size.js';
import { filesOfDrop, type ChosenFile } from './dropped-files.js';

export interface DropZoneProps {
  chosen: readonly ChosenFile[];
  onDrop: (files: readonly ChosenFile[]) => void;
  /** Shown while nothing is chosen. */
  invitation: string;
}

/** Takes a folder or a file that is dropped, and says what was chosen. With the keyboard, use the fields below. */
export function DropZone({ chosen, onDrop, invitation }: DropZoneProps) {
  const [isOver, setOver] = useState(false);
  const announce = useAnnounce();
  return (
    <div
      class={classNames('drop-zone', isOver && 'is-over')}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (event.dataTransfer !== null)
          void filesOfDrop(event.dataTransfer).then(onDrop, () =>
            announce(
              'Your browser could not read these files. Check that they still exist and that you can open them.',
            ),
          );
      }}
    >
      <p aria-live="polite">{chosen.length === 0 ? invitation : wordsOf(chosen)}</p>
    </div>
  );
}

function wordsOf(chosen: readonly ChosenFile[]): string {
  const bytes = chosen.reduce((total, { file }) => total + file.size, 0);
  const [first] = chosen;
  const name =
    first?.path === '' ? first.file.name : `${first?.path.split('/', 1)[0]}: ${chosen.length} files`;
  return `${name}, ${formatSize(bytes)}`;
}
