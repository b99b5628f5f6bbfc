import type { TemplateFiles } from './deploys-service.js';

/** The built-in sites. */
export const templateFiles: TemplateFiles = (_template, { name }) =>
  Promise.resolve([{ path: 'index.html', bytes: Buffer.from(pageOf(name)) }]);

function pageOf(name: string): string {
  const text = name.replace(/[<&]/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>${text}</title>\n<h1>${text}</h1>\n</html>\n`;
}
