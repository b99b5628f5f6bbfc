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

/** The root fields that read or create pets: what a session of the dashboard charges to its key. */
export const PETS_FIELDS: ReadonlySet<string> = new Set([
  'pets',
  'petsConnection',
  'petsByIds',
  'pet',
  'createPet',
]);

/**
 * What an operation costs: its root fields, each response name once, as execution will run them: aliases apart,
 * fragments expanded, @skip and @include applied. `__typename` is free, introspection is a field like any other. Every
 * operation costs at least 1.
 */
export function costOf(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): number {
  return Math.max(1, rootFieldsOf(document, operation, variables).size);
}

/** How many of its root fields are PETS_FIELDS, counted like its cost. */
export function petsCostOf(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): number {
  const fields = [...rootFieldsOf(document, operation, variables).values()];
  return fields.filter((name) => PETS_FIELDS.has(name)).length;
}

/** The names of the root fields that execution will run, by their response names. */
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
          // Once each: it keeps a bomb of fragments linear, and execution does the same.
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

/** The values of variables, by their names, that are not given. */
function defaultsOf({ variableDefinitions = [] }: OperationDefinitionNode): Variables {
  return Object.fromEntries(
    variableDefinitions.map(({ variable, defaultValue }) => [
      variable.name.value,
      defaultValue && valueFromASTUntyped(defaultValue),
    ]),
  );
}

/**
 * What `if` says, the only argument of both directives. A value that is no boolean stops the operation before it
 * executes: what it would have cost does not matter.
 */
function conditionOf({ arguments: [condition] = [] }: DirectiveNode, variables: Variables): boolean {
  return condition !== undefined && valueFromASTUntyped(condition.value, variables) === true;
}
