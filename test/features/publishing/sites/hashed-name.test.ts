import { isHashedName } from '../../../../src/features/publishing/sites/hashed-name.js';

it.each([
  ['webpack', 'static/js/main.8d2f1c3a.chunk.js'],
  ['webpack, a long hash', 'main.3f2a9c1b0d4e5f6a7b8c.css'],
  ['a whole SHA-256', `app-${'0a1b2c3d'.repeat(8)}.js`],
  ['Parcel', 'index.1a2b3c4d.js'],
  ['Vite', 'assets/index-BfJ2kq9_.js'],
  ['Vite, with a hyphen in the hash', 'assets/index-B-J2kq9a.css'],
  ['a source map', 'assets/index-BfJ2kq9_.js.map'],
  ['esbuild', 'chunk-5QX7ZJ4W.js'],
  ['Angular', 'browser/main-7KQF2XYZ.js'],
  ['a font', 'media/inter.4f2c91ab.woff2'],
])('%s: %s has a hash in its name', (_tool, path) => {
  expect(isHashedName(path)).toBe(true);
});

it.each([
  ['no hash', 'app.js'],
  ['a page', 'offer.3f2a9c1b.html'],
  ['a word of hexadecimal digits', 'deadbeef.js'],
  ['a word after a hyphen', 'best-of-facade.js'],
  ['a date', 'jquery-20261125.js'],
  ['a version', 'jquery-3.7.1.min.js'],
  ['a long version', 'lib-1.20261125.0.js'],
  ['a word and a number', 'app-release2.js'],
  ['a word with a capital and a number', 'book-Chapter1.pdf'],
  ['capitals and a number', 'NOTES-RELEASE2.txt'],
  ['a number and a word', 'layout-2columns.css'],
  ['a word of mixed case, longer than a hash', 'demo-Html5Game.js'],
  ['a size', 'photo-1920x1080.jpg'],
  ['a name that a person gave a video', 'Intro-Video-4K.mp4'],
  ['a document', 'Thesis-Draft-2A.pdf'],
  ['a photograph', 'photo-IMG1234a.jpg'],
  ['a UUID', 'avatar-550e8400-e29b-41d4-a716-44665544000a.png'],
  ['too short a hash', 'app.3f2a9c1.js'],
  ['no extension', 'app.3f2a9c1b'],
  ['a hash as the name of a folder', 'app.3f2a9c1b/app.js'],
  ['a hash as the whole name', '3f2a9c1b.js'],
])('%s: %s has none', (_what, path) => {
  expect(isHashedName(path)).toBe(false);
});
