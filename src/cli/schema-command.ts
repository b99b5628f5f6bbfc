import { Argument, Command } from 'commander';
import { outputOf } from './context.js';

type Schema = 'graphql' | 'openapi';

/** Needs neither settings nor a database. */
export function schemaCommand(): Command {
  return new Command('schema')
    .description('print the GraphQL schema (SDL) or the OpenAPI document (YAML, or JSON with --json)')
    .addArgument(
      new Argument('[which]', 'the schema to print').choices(['graphql', 'openapi']).default('graphql'),
    )
    .action(async (which: Schema, _options: unknown, command: Command) => {
      const { readOpenApi, readSdl, toJson } = await import('../interfaces/docs/schema-files.js');
      const { json, write } = outputOf(command);
      const text = which === 'graphql' ? readSdl() : readOpenApi();
      if (!json) write(text);
      else write(`${which === 'graphql' ? JSON.stringify(text) : toJson(text)}\n`);
    });
}
