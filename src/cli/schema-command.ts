import { Argument, Command } from 'commander';
import { readOpenApi, readSdl, toJson } from '../interfaces/docs/schema-files.js';

type Schema = 'graphql' | 'openapi';

/** Needs neither settings nor a database. */
export function schemaCommand(): Command {
  return new Command('schema')
    .description('print the GraphQL SDL, or the OpenAPI document (YAML, with --json JSON)')
    .addArgument(
      new Argument('[which]', 'which of the two').choices(['graphql', 'openapi']).default('graphql'),
    )
    .action((which: Schema, _options: unknown, command: Command) => {
      const { json = false } = command.optsWithGlobals<{ json?: boolean }>();
      process.stdout.write(which === 'graphql' ? sdl(json) : openApi(json));
    });
}

function sdl(json: boolean): string {
  return json ? `${JSON.stringify(readSdl())}\n` : readSdl();
}

function openApi(json: boolean): string {
  return json ? `${toJson(readOpenApi())}\n` : readOpenApi();
}
