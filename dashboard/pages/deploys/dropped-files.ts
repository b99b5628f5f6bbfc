/** More than the gateway accepts: the rest of a folder with more files need not be read. */
const MOST_FILES = 2000;

/** A file that the user chose or dropped. */
export interface ChosenFile {
  /** From the chosen folder on, such as `site/css/shop.css`; empty for a file that was chosen by itself. */
  path: string;
  file: File;
}

/** The files of an input, which chooses one file or a folder. */
export function filesOfInput(files: readonly File[]): ChosenFile[] {
  return files.map((file) => ({ path: file.webkitRelativePath, file }));
}

/**
 * The files that were dropped: one file, one folder with everything in it, or the content of a folder. Call it while
 * the event is handled: the browser forgets the entries afterwards. Leaves out names that begin with a dot, and stops
 * after MOST_FILES files.
 */
export async function filesOfDrop({ items }: DataTransfer): Promise<ChosenFile[]> {
  const entries = [...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const found: ChosenFile[] = [];
  const [first] = entries;
  if (entries.length === 1 && first !== undefined && isFile(first))
    return [{ path: '', file: await read(first) }];
  // The paths of a content without its folder get one, as if the folder itself was dropped.
  const top = entries.length === 1 ? '' : 'dropped/';
  for (const entry of entries) await collect(entry, top, found);
  return found;
}

async function collect(entry: FileSystemEntry, top: string, found: ChosenFile[]): Promise<void> {
  if (found.length > MOST_FILES || (entry.name.startsWith('.') && entry.name !== '.well-known')) return;
  if (isFile(entry)) {
    found.push({ path: top + entry.fullPath.slice(1), file: await read(entry) });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // The browser returns a folder in parts, and an empty part after the last.
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (part.length === 0) return;
    for (const child of part) await collect(child, top, found);
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function read(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}
