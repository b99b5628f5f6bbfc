import {
  Kind,
  valueFromASTUntyped,
  type DirectiveNode,
  type DocumentNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { fragmentsOf } from './fragments.js';

type Variables = Readonly<Record<string, unknown>>;

/** The root fields that read or create pets. A dashboard session charges them to its key. */
export const PETS_FIELDS: ReadonlySet<string> = new Set([
  'pets',
  'petsConnection',
  'petsByIds',
  'pet',
  'createPet',
]);

/**
 * Returns the cost of an operation: the number of its root fields that execution will run. Each response name counts
 * once: aliases count separately, fragments are expanded, @skip and @include are applied. `__typename` is free;
 * introspection fields count like any other. Every operation costs at least 1.
 */
export function costOf(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): number {
  return Math.max(1, rootFieldsOf(document, operation, variables).size);
}

/** Returns the number of root fields in PETS_FIELDS, counted like the cost. */
export function petsCostOf(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): number {
  const fields = [...rootFieldsOf(document, operation, variables).values()];
  return fields.filter((name) => PETS_FIELDS.has(name)).length;
}

/** Returns the names of the root fields that execution will run, by response name. */
function rootFieldsOf(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): Map<string, string> {
  const fragments = fragmentsOf(document);
  const values = { ...defaultsOf(operation), ...variables };
  const fields = new Map<string, string>();
  const visited = new Set<string>();

  const isSkipped = (directives: readonly DirectiveNode[] | undefined): boolean =>
    directives?.some(
      (directive) =>
        (directive.name.value === 'skip' && conditionOf(directive, values)) ||
        (directive.name.value === 'include' && !conditionOf(directive, values)),
    ) ?? false;

  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (isSkipped(selection.directives)) continue;
      switch (selection.kind) {
        case Kind.FIELD:
          if (selection.name.value !== '__typename')
            fields.set((selection.alias ?? selection.name).value, selection.name.value);
          break;
        case Kind.INLINE_FRAGMENT:
          collect(selection.selectionSet);
          break;
        case Kind.FRAGMENT_SPREAD: {
          const { value } = selection.name;
          const fragment = fragments.get(value);
          // Each fragment once, as execution does. The work stays linear even if nested fragments expand exponentially.
          if (fragment !== undefined && !visited.has(value)) {
            visited.add(value);
            collect(fragment.selectionSet);
          }
        }
      }
    }
  };
  collect(operation.selectionSet);
  return fields;
}

/** Returns the default values of the variables, by name. */
function defaultsOf({ variableDefinitions = [] }: OperationDefinitionNode): Variables {
  return Object.fromEntries(
    variableDefinitions.map(({ variable, defaultValue }) => [
      variable.name.value,
      defaultValue && valueFromASTUntyped(defaultValue),
    ]),
  );
}

/**
 * Returns the value of `if`, the only argument of both directives. A value that is not a boolean stops the operation
 * before execution, so the cost that it would have does not matter.
 */
function conditionOf({ arguments: [condition] = [] }: DirectiveNode, variables: Variables): boolean {
  return condition !== undefined && valueFromASTUntyped(condition.value, variables) === true;
}
