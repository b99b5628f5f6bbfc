#!/usr/bin/env bash
# A file with holes that bsdtar (the tar of macOS) packs without any option, or GNU tar with --sparse --format=posix, is
# stored in the pax format GNU.sparse 1.0. Two npm readers of tar files know pax headers and ignore these keywords: they
# return a file of another name, whose content is the map of the holes and the parts between them, without an error.
# Python's tarfile restores the file from the same archive.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

mkdir site
truncate --size=1M site/holes.bin
printf 'end' | dd of=site/holes.bin bs=1 seek=1048573 conv=notrunc status=none
tar --create --sparse --format=posix --file site.tar --directory site holes.bin
echo "$(tar --version | head -n 1), $(node --version), $(python3 --version)"

npm install --silent --no-audit --no-fund --ignore-scripts tar-stream@3.2.2 tar@7.5.1
cat > read.mjs <<'JS'
import { createReadStream, readFileSync } from 'node:fs';
import { extract } from 'tar-stream';
import { Parser } from 'tar';

const version = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`)).version;
const plain = (name) => name.replace(/GNUSparseFile\.\d+/, 'GNUSparseFile.N');

for await (const entry of createReadStream('site.tar').pipe(extract())) {
  let bytes = 0;
  for await (const chunk of entry) bytes += chunk.length;
  console.log(`tar-stream ${version('tar-stream')}: ${plain(entry.header.name)} ${bytes < 1048576 ? 'short' : 'whole'}`);
}
const parser = new Parser({
  onReadEntry(entry) {
    console.log(`tar ${version('tar')}: ${plain(entry.path)} ${entry.size < 1048576 ? 'short' : 'whole'}`);
    entry.resume();
  },
});
createReadStream('site.tar').pipe(parser);
JS
node read.mjs | tee seen
python3 -c "
import tarfile
with tarfile.open('site.tar') as tar:
    for entry in tar:
        content = tar.extractfile(entry).read()
        print('tarfile:', entry.name, 'whole' if len(content) == 1048576 and content.endswith(b'end') else 'short')
" | tee -a seen

cat > expected <<'END'
tar-stream 3.2.2: ./GNUSparseFile.N/holes.bin short
tar 7.5.1: ./GNUSparseFile.N/holes.bin short
tarfile: holes.bin whole
END
diff expected seen
