import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { renderMarkdown } from '../../../src/interfaces/docs/markdown.js';

/** The README.md files that give the reasons for the code beside them, and docs/decisions.md, their index. */
const ROOT = join(__dirname, '../../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

const REASONS = [
  ...['dashboard', 'deploy', 'scripts', 'test'].map((folder) => `${folder}/README.md`),
  ...readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('README.md'))
    .map((file) => `src/${file}`),
];

const headingsIn = (page: string) =>
  Array.from(renderMarkdown(read(page), '').matchAll(/<h([1-6]) id="([^"]+)"/g), ([, level, id = '']) => ({
    level,
    id,
  }));

/** The links of a page within the repository. `file` is relative to its root, and `id` is '' without a fragment. */
const linksIn = (page: string) =>
  Array.from(read(page).matchAll(/\]\(([^)\s]*)\)/g), ([, target = '']) => target)
    .filter((target) => !/^https?:/.test(target))
    .map((target) => {
      const [path = '', id = ''] = target.split('#');
      return { file: path === '' ? page : relative(ROOT, join(ROOT, dirname(page), path)), id };
    });

test('docs/decisions.md links each section', () => {
  const linked = new Set(linksIn('docs/decisions.md').map(({ file, id }) => `${file}#${id}`));
  const sections = REASONS.flatMap((page) =>
    headingsIn(page).flatMap(({ level, id }) => (level === '2' ? [`${page}#${id}`] : [])),
  );
  expect(sections.filter((section) => !linked.has(section))).toEqual([]);
  expect(sections.length).toBeGreaterThan(80);
});

test('each link between files of the repository leads to a file and to a heading', () => {
  const docs = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  const others = ['README.md', 'CONTRIBUTING.md', 'bench/README.md', 'vendor/scalar/README.md'];
  const isBroken = ({ file, id }: { file: string; id: string }) =>
    !existsSync(join(ROOT, file)) ||
    (file.endsWith('.md') && id !== '' && !headingsIn(file).some((heading) => heading.id === id));
  const broken = [...REASONS, ...docs.map((name) => `docs/${name}`), ...others].flatMap((page) =>
    linksIn(page)
      .filter(isBroken)
      .map(({ file, id }) => `${page}: ${file}#${id}`),
  );
  expect(broken).toEqual([]);
});
