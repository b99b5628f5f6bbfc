import { Kind, type DocumentNode, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';
import { OTHER_OPERATION, SEVERAL_OPERATIONS } from '../../features/usage/usage.js';
import { fragmentsOf } from './fragments.js';

/** Documents that are in use stay the same object. */
const names = new WeakMap<OperationDefinitionNode, string>();

/**
 * What an operation is counted as: its root field, or that it has several. Names of clients' own, such as aliases and
 * operation names, have no end. @skip and @include are not looked at. The document must be valid.
 */
export function countedAs(document: DocumentNode, operation: OperationDefinitionNode): string {
  let name = names.get(operation);
  if (name === undefined) names.set(operation, (name = oneOf(rootFields(document, operation))));
  return name;
}

/** Of what is charged as one: the name that all have. */
export function oneOf(all: Iterable<string>): string {
  const [name = OTHER_OPERATION, ...others] = new Set(all);
  return others.length === 0 ? name : SEVERAL_OPERATIONS;
}

function rootFields(document: DocumentNode, { selectionSet }: OperationDefinitionNode): Set<string> {
  const fragments = fragmentsOf(document);
  const fields = new Set<string>();
  const visited = new Set<SelectionSetNode>();
  const collect = (set: SelectionSetNode | undefined): void => {
    // Once each: it keeps a bomb of fragments linear.
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
