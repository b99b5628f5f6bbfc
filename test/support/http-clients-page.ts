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

/** Reads the code blocks of docs/http-clients.md, each line without its indentation. */
export async function documentedLines(): Promise<string[]> {
  const page = await readFile(PAGE, 'utf8');
  return Array.from(page.matchAll(/^```\w+\n(.+?)^```$/gms), ([, code = '']) => withoutIndentation(code));
}

export function withoutIndentation(code: string): string {
  return code.trim().replaceAll(/^[ \t]+/gm, '');
}
