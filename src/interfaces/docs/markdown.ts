import MarkdownIt from 'markdown-it';

const markdown = new MarkdownIt({ html: true });

/**
 * Gives headings their ids, and makes links relative to the page's URL. `env.prefix` is the path from the page to the
 * URLs below /docs.
 */
markdown.core.ruler.push('urls', ({ tokens, env }) => {
  const { prefix } = env as { prefix: string };
  const seen = new Map<string, number>();
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open')
      token.attrSet('id', uniqueSlug(tokens[index + 1]?.content ?? '', seen));
    // The Content-Security-Policy of the pages allows no style attributes.
    const align = /^text-align:(\w+)$/.exec(String(token.attrGet('style')))?.[1];
    if (align !== undefined) token.attrs = [['align', align]];
    // A link that leaves docs/ has no page to lead to.
    let isOutside = false;
    for (const child of token.children ?? []) {
      if (child.type === 'image') child.attrSet('src', prefix + String(child.attrGet('src')));
      if (child.type === 'link_open') {
        const target = String(child.attrGet('href'));
        isOutside = target.startsWith('../');
        child.attrs = isOutside ? [['title', target.slice(3)]] : [['href', urlOf(target, prefix)]];
      }
      if (isOutside && child.type.startsWith('link_')) child.tag = 'span';
    }
  }
});
// What is wider than the page scrolls, also by keyboard.
for (const name of ['fence', 'code_block'] as const) {
  const render = markdown.renderer.rules[name];
  markdown.renderer.rules[name] = (...args) => render?.(...args).replace('<pre>', '<pre tabindex="0">') ?? '';
}
markdown.renderer.rules['table_open'] = () => '<div class="table" tabindex="0"><table>\n';
markdown.renderer.rules['table_close'] = () => '</table></div>\n';

/** Renders a page of docs/ to HTML. The page is trusted: it may contain HTML. */
export function renderMarkdown(text: string, prefix: string): string {
  return markdown.render(text, { prefix });
}

function urlOf(target: string, prefix: string): string {
  const [, page, hash = ''] = /^([\w-]+)\.md(|#.*)$/.exec(target) ?? [];
  if (page === undefined) return target;
  return (page === 'README' ? `${prefix}../docs` : prefix + page) + hash;
}

/** As GitHub makes them, so that a link works there, here and in the built site. */
function uniqueSlug(heading: string, seen: Map<string, number>): string {
  const slug = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
  const count = seen.get(slug) ?? 0;
  seen.set(slug, count + 1);
  return count === 0 ? slug : `${slug}-${count}`;
}
