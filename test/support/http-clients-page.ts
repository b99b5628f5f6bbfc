import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const PAGE = join(__dirname, '../../docs/http-clients.md');
const ROW = /^\|(?<cells>.+)\|$/gm;

/** What docs/http-clients.md says that a client does by itself. */
export interface DocumentedClient {
  version: string;
  getAfter429: string;
  postAfter429: string;
  postConnectionLost: string;
}

/** Reads the table of docs/http-clients.md, by the name of the client. */
export async function documentedClients(): Promise<Map<string, DocumentedClient>> {
  const clients = new Map<string, DocumentedClient>();
  for (const { groups } of (await readFile(PAGE, 'utf8')).matchAll(ROW)) {
    const [name = '', version = '', getAfter429 = '', postAfter429 = '', postConnectionLost = ''] = (
      groups?.['cells'] ?? ''
    )
      .split('|')
      .map((cell) => cell.trim());
    clients.set(name, { version, getAfter429, postAfter429, postConnectionLost });
  }
  return clients;
}

export interface DocumentedLines {
  heading: string;
  /** The code blocks below the heading, each line without its indentation. */
  blocks: string[];
  /** The files that the text below the heading links to, as paths. */
  links: string[];
}

/** Reads the sections of docs/http-clients.md that have code. */
export async function documentedLines(): Promise<DocumentedLines[]> {
  const sections = (await readFile(PAGE, 'utf8')).split(/^#{2,3} /m).slice(1);
  return sections
    .map((section) => ({
      heading: section.slice(0, section.indexOf('\n')),
      blocks: Array.from(section.matchAll(/^```\w+\n(.+?)^```$/gms), ([, code = '']) =>
        withoutIndentation(code),
      ),
      links: Array.from(section.matchAll(/\]\((\.\.\/[^)#]+)\)/g), ([, path = '']) => join(PAGE, '..', path)),
    }))
    .filter(({ blocks }) => blocks.length > 0);
}

export function withoutIndentation(code: string): string {
  return code.trim().replaceAll(/^[ \t]+/gm, '');
}
