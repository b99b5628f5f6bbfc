import { Kind, type DocumentNode, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';
import { OTHER_OPERATION, SEVERAL_OPERATIONS } from '../../features/usage/usage.js';
import { fragmentsOf } from './fragments.js';

/** A document stays the same object while it is in use. */
const names = new WeakMap<OperationDefinitionNode, string>();

/**
 * Returns the name under which an operation is counted: its root field, or a fixed name if it has several. Aliases and
 * operation names are not used, because clients could create any number of them. @skip and @include are not applied.
 * The document must be valid.
 */
export function countedAs(document: DocumentNode, operation: OperationDefinitionNode): string {
  let name = names.get(operation);
  if (name === undefined) names.set(operation, (name = oneOf(rootFields(document, operation))));
  return name;
}

/** Returns the common name of operations that are charged together, or a fixed name if they differ. */
export function oneOf(all: Iterable<string>): string {
  const [name = OTHER_OPERATION, ...others] = new Set(all);
  return others.length === 0 ? name : SEVERAL_OPERATIONS;
}

function rootFields(document: DocumentNode, { selectionSet }: OperationDefinitionNode): Set<string> {
  const fragments = fragmentsOf(document);
  const fields = new Set<string>();
  const visited = new Set<SelectionSetNode>();
  const collect = (set: SelectionSetNode | undefined): void => {
    // Each set once. The work stays linear even if nested fragments expand exponentially.
    if (set === undefined || visited.has(set)) return;
    visited.add(set);
    for (const selection of set.selections)
      switch (selection.kind) {
        case Kind.FIELD:
          if (selection.name.value !== '__typename') fields.add(selection.name.value);
          break;
        case Kind.INLINE_FRAGMENT:
          collect(selection.selectionSet);
          break;
        case Kind.FRAGMENT_SPREAD:
          collect(fragments.get(selection.name.value)?.selectionSet);
      }
  };
  collect(selectionSet);
  return fields;
}
