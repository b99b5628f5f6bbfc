import {
  Kind,
  type BooleanValueNode,
  type DirectiveNode,
  type DocumentNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { fragmentsOf } from './fragments.js';

type Variables = Readonly<Record<string, unknown>>;

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
  const fragments = fragmentsOf(document);
  const defaults = booleanDefaults(operation);
  const names = new Set<string>();
  const visited = new Set<string>();

  const isSkipped = (directives: readonly DirectiveNode[] | undefined): boolean =>
    directives?.some(
      (directive) =>
        (directive.name.value === 'skip' && conditionOf(directive, variables, defaults)) ||
        (directive.name.value === 'include' && !conditionOf(directive, variables, defaults)),
    ) ?? false;

  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (isSkipped(selection.directives)) continue;
      switch (selection.kind) {
        case Kind.FIELD:
          if (selection.name.value !== '__typename') names.add((selection.alias ?? selection.name).value);
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
  return Math.max(1, names.size);
}

function booleanDefaults(operation: OperationDefinitionNode): Map<string, boolean> {
  return new Map(
    (operation.variableDefinitions ?? [])
      .filter((definition) => definition.defaultValue?.kind === Kind.BOOLEAN)
      .map(({ variable, defaultValue }) => [variable.name.value, (defaultValue as BooleanValueNode).value]),
  );
}

/** A value that is no boolean stops the operation before it executes: what it would have cost does not matter. */
function conditionOf(
  directive: DirectiveNode,
  variables: Variables,
  defaults: Map<string, boolean>,
): boolean {
  const value = directive.arguments?.find((argument) => argument.name.value === 'if')?.value;
  if (value?.kind === Kind.BOOLEAN) return value.value;
  if (value?.kind !== Kind.VARIABLE) return false;
  const name = value.name.value;
  return Object.hasOwn(variables, name) ? variables[name] === true : (defaults.get(name) ?? false);
}
