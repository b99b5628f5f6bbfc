import {
  Kind,
  OperationTypeNode,
  valueFromASTUntyped,
  type DirectiveNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { OTHER_OPERATION, SEVERAL_OPERATIONS } from '../../features/usage/usage.js';

type Variables = Readonly<Record<string, unknown>>;

/** The root fields that read or create pets. A dashboard session charges them to its key. */
export const PETS_FIELDS: ReadonlySet<string> = new Set([
  'pets',
  'petsConnection',
  'petsByIds',
  'pet',
  'createPet',
]);

/** The root fields whose values are the same for every caller, and that change nothing. */
const SHARED_FIELDS: ReadonlySet<string> = new Set(['pets', 'petsConnection', 'petsByIds']);

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
  return Math.max(1, rootFieldsOf(document, operation, skippedWith(operation, variables)).size);
}

/** Returns the number of root fields in PETS_FIELDS, counted like the cost. */
export function petsCostOf(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): number {
  const fields = [...rootFieldsOf(document, operation, skippedWith(operation, variables)).values()];
  return fields.filter((name) => PETS_FIELDS.has(name)).length;
}

/** Returns the fragments of a document by name. */
export function fragmentsOf({ definitions }: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  return fragments;
}

/** Whether execution skips a selection with these directives. */
type IsSkipped = (directives: readonly DirectiveNode[] | undefined) => boolean;

/** Returns the names of the root fields that are not skipped, by response name. */
function rootFieldsOf(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  isSkipped: IsSkipped,
): Map<string, string> {
  const fragments = fragmentsOf(document);
  const fields = new Map<string, string>();
  const visited = new Set<string>();

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

/** Applies `@skip` and `@include` with the variables of a request. */
function skippedWith(operation: OperationDefinitionNode, variables: Variables): IsSkipped {
  const values = valuesOf(operation, variables);
  return (directives) =>
    directives?.some(
      (directive) =>
        (directive.name.value === 'skip' && conditionOf(directive, values)) ||
        (directive.name.value === 'include' && !conditionOf(directive, values)),
    ) ?? false;
}

/** Returns the values of the variables that have one, by name: as sent, or else their defaults. */
export function valuesOf(
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Variables,
): Variables {
  const values: Record<string, unknown> = {};
  for (const { variable, defaultValue } of variableDefinitions) {
    const name = variable.name.value;
    if (Object.hasOwn(variables, name)) values[name] = variables[name];
    else if (defaultValue !== undefined) values[name] = valueFromASTUntyped(defaultValue);
  }
  return values;
}

/**
 * Returns the value of `if`, the only argument of both directives. A value that is not a boolean stops the operation
 * before execution, so the cost that it would have does not matter.
 */
function conditionOf({ arguments: [condition] = [] }: DirectiveNode, variables: Variables): boolean {
  return condition !== undefined && valueFromASTUntyped(condition.value, variables) === true;
}

/** A document stays the same object while it is in use. */
const names = new WeakMap<OperationDefinitionNode, string>();

/**
 * Returns the name under which an operation is counted: its root field, or a fixed name if it has several. Aliases and
 * operation names are not used, because clients could create any number of them. @skip and @include are not applied.
 * The document must be valid.
 */
export function countedAs(document: DocumentNode, operation: OperationDefinitionNode): string {
  let name = names.get(operation);
  if (name === undefined)
    names.set(operation, (name = oneOf(rootFieldsOf(document, operation, () => false).values())));
  return name;
}

const sharedReads = new WeakMap<OperationDefinitionNode, boolean>();

/**
 * Whether all root fields of an operation are reads with the same result for every caller. @skip and @include are not
 * applied. The document must be valid.
 */
export function isSharedRead(document: DocumentNode, operation: OperationDefinitionNode): boolean {
  let isShared = sharedReads.get(operation);
  if (isShared === undefined) {
    const fields = [...rootFieldsOf(document, operation, () => false).values()];
    isShared =
      operation.operation === OperationTypeNode.QUERY && fields.every((name) => SHARED_FIELDS.has(name));
    sharedReads.set(operation, isShared);
  }
  return isShared;
}

/** Returns the common name of operations that are charged together, or a fixed name if they differ. */
export function oneOf(all: Iterable<string>): string {
  const [name = OTHER_OPERATION, ...others] = new Set(all);
  return others.length === 0 ? name : SEVERAL_OPERATIONS;
}
