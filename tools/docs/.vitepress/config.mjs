import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';

const source = new URL('../../../docs/', import.meta.url);

/** `scripts/build-docs.mjs` runs this, and then moves the inline scripts of the pages into files. */
export default defineConfig({
  srcDir: '../../docs',
  cacheDir: 'node_modules/.cache/vitepress',
  base: '/docs/',
  cleanUrls: true,
  rewrites: { 'README.md': 'index.md' },
  lang: 'en',
  title: 'Animal Adoption Store',
  description: 'How to call the API, publish a site and run the gateway.',
  head: [['link', { rel: 'icon', href: '/docs/paw.svg' }]],
  metaChunk: true,
  markdown: {
    // The plain themes have too little contrast.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    languageAlias: { caddyfile: 'nginx', haproxy: 'nginx' },
    anchor: { slugify },
    config: (md) => md.core.ruler.push('outside', unlinkOutside),
  },
  themeConfig: {
    logo: { src: '/paw.svg', alt: '' },
    // Relative to the page: these are not of the site, and a page of the site is always right below /docs.
    nav: [
      { text: 'API reference', link: '/reference', target: '_self' },
      { text: 'GraphQL editor', link: '../graphql', target: '_self' },
      { text: 'Dashboard', link: '../dashboard', target: '_self' },
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    search: { provider: 'local' },
  },
});

/** The groups of docs/README.md with their links: a page that is not linked there is not in the sidebar. */
function sidebar() {
  const groups = [];
  for (const line of readFileSync(new URL('README.md', source), 'utf8').split('\n')) {
    const [, heading, bold] = /^##+ (.+)|^\*\*(.+?):?\*\*/.exec(line) ?? [];
    const text = heading ?? bold;
    if (text !== undefined) groups.push({ text, items: [] });
    for (const [, name, page] of line.matchAll(/\[([^\]]+)\]\(([\w-]+)\.md\)/g))
      groups.at(-1)?.items.push({ text: name[0].toUpperCase() + name.slice(1), link: `/${page}` });
  }
  return groups.filter(({ items }) => items.length > 0);
}

/** As GitHub does, and src/interfaces/docs/markdown.ts: links to a heading work in all three. */
function slugify(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}

/** A link that leaves docs/ has no page to lead to. */
function unlinkOutside({ tokens }) {
  let isOutside = false;
  for (const token of tokens.flatMap(({ children }) => children ?? [])) {
    if (token.type === 'link_open') {
      const target = token.attrGet('href');
      isOutside = target.startsWith('../');
      if (isOutside) token.attrs = [['title', target.slice(3)]];
    }
    if (isOutside && token.type.startsWith('link_')) token.tag = 'span';
  }
}
