import type { Config } from '../../config/config.js';
import { fault, ok, warning, type Finding } from './finding.js';

const CHECK = 'GRAPHQL_OPERATIONS_FILE';

/** Checks that a start would accept the list of operations. */
export async function checkOperations({ graphqlOperations }: Config): Promise<Finding[]> {
  const { file, requiredFor } = graphqlOperations;
  if (file === undefined)
    return requiredFor === 'all'
      ? [
          warning(
            CHECK,
            'is not set, so that GRAPHQL_OPERATIONS_REQUIRED=all has no effect: every key may execute anything',
            'Set it to a list, or take the other one out: docs/graphql.md.',
          ),
        ]
      : [];
  // Loaded here, because only this check needs the schema.
  const { readOperations } = await import('../../interfaces/graphql/persisted-operations.js');
  const { createSchemaAlone } = await import('../../interfaces/graphql/schema/schema.js');
  const { listed, faults } = readOperations(file, createSchemaAlone);
  return faults.length === 0
    ? [ok(CHECK, `${file} lists ${listed.length} operations that are valid`)]
    : faults.map((text) => fault(CHECK, `${file}: ${text}`, 'The next start would end with this.'));
}
