import { readFileSync } from 'node:fs';

export interface ReadmeCommand {
  /** The heading it stands under. */
  heading: string;
  text: string;
}

/** The shell commands of a README as they stand, in order, with the heading above each. */
export function readmeCommands(file: string): ReadmeCommand[] {
  const commands: ReadmeCommand[] = [];
  let heading = '';
  let open: string[] | undefined;
  for (const line of readFileSync(file, 'utf8').split('\n'))
    if (open !== undefined)
      if (line === '```') {
        commands.push({ heading, text: open.join('\n') });
        open = undefined;
      } else open.push(line);
    else if (line === '```sh') open = [];
    else if (line.startsWith('## ')) heading = line.slice(3);
  return commands;
}
