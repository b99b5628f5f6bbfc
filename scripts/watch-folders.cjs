const { readdirSync, watch } = require('node:fs');
const { join, relative } = require('node:path');

/** Not what editors write beside a file. */
const SOURCE = /^[^.].*\.(ts|tsx|js|css|html|svg|graphql|yaml)$/;

/**
 * Tells of each change of a source in these folders and those below, and of these files of the root, by path. Folders
 * are watched, not files: an editor that puts a new file in the place of the old one would leave a watcher of the file
 * with nothing. fs.watch's own `recursive` goes by files on Linux.
 */
function watchFolders(root, folders, files, onChange) {
  const watchers = new Map();

  function add(folder, isWanted) {
    if (watchers.has(folder)) return;
    const watcher = watch(folder, (_event, name) => {
      addAll();
      if (name !== null && isWanted(name)) onChange(relative(root, join(folder, name)));
    });
    // The folder is gone.
    watcher.on('error', () => {
      watcher.close();
      watchers.delete(folder);
    });
    watchers.set(folder, watcher);
  }

  function addAll() {
    for (const folder of folders.flatMap((name) => foldersIn(join(root, name))))
      add(folder, (name) => SOURCE.test(name));
  }

  addAll();
  add(root, (name) => files.includes(name));
  return {
    close() {
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}

function foldersIn(folder) {
  const below = readdirSync(folder, { recursive: true, withFileTypes: true });
  return [
    folder,
    ...below.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name)),
  ];
}

module.exports = { watchFolders };
