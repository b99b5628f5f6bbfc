import {
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { PAGE_SIZE } from '../../features/pets/page.js';
import { askedSize, fragmentsOf, fieldWeight } from './measures.js';

/**
 * Maximum number of nodes that one root field may request: it allows some pages within a page, but not three levels of
 * pages.
 */
export const MAX_NODES = 2000;

/**
 * Returns the most nodes that any root field can return: page sizes multiply where a page contains pages. The cost
 * counts root fields only, and `project { apiKeys { … project { apiKeys … } } }` is one of them, however deep it is.
 * The document must be valid, so that its fragments form no cycle.
 */
export function mostNodes(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): number {
  const fragments = fragmentsOf(document);
  /** Each fragment is counted once. The work stays linear even if nested fragments expand exponentially. */
  const counted = new Map<string, number>();

  function fieldNodes(field: FieldNode, parent: GraphQLNamedType | undefined): number {
    const definition =
      isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[field.name.value] : undefined;
    if (definition === undefined) return 0;
    const below =
      field.selectionSet === undefined ? 0 : setNodes(field.selectionSet, getNamedType(definition.type));
    const weight = fieldWeight(parent?.name, definition.name);
    if (weight?.areNodes === true) return weight.mostItems * (1 + below);
    const size = pageSize(field, definition, variables);
    // The resolver rejects a page size out of bounds.
    return size === undefined ? below : Math.min(Math.max(size, 0), PAGE_SIZE.maximum) * (1 + below);
  }

  function setNodes({ selections }: SelectionSetNode, parent: GraphQLNamedType | undefined): number {
    return selections.reduce((sum, selection) => {
      switch (selection.kind) {
        case Kind.FIELD:
          return sum + fieldNodes(selection, parent);
        case Kind.INLINE_FRAGMENT: {
          const on = selection.typeCondition?.name.value;
          return sum + setNodes(selection.selectionSet, on === undefined ? parent : schema.getType(on));
        }
        case Kind.FRAGMENT_SPREAD:
          return sum + fragmentNodes(selection.name.value);
      }
    }, 0);
  }

  function fragmentNodes(name: string): number {
    const fragment = fragments.get(name);
    if (fragment === undefined) return 0;
    let nodes = counted.get(name);
    if (nodes === undefined) {
      nodes = setNodes(fragment.selectionSet, schema.getType(fragment.typeCondition.name.value));
      counted.set(name, nodes);
    }
    return nodes;
  }

  /** Each root field is charged separately, so each is measured separately. */
  function mostOfRoot({ selections }: SelectionSetNode, seen: Set<string>): number {
    return selections.reduce((most, selection) => {
      switch (selection.kind) {
        case Kind.FIELD:
          return Math.max(most, fieldNodes(selection, schema.getRootType(operation.operation) ?? undefined));
        case Kind.INLINE_FRAGMENT:
          return Math.max(most, mostOfRoot(selection.selectionSet, seen));
        case Kind.FRAGMENT_SPREAD: {
          const fragment = fragments.get(selection.name.value);
          if (fragment === undefined || seen.has(selection.name.value)) return most;
          seen.add(selection.name.value);
          return Math.max(most, mostOfRoot(fragment.selectionSet, seen));
        }
      }
    }, 0);
  }
  return mostOfRoot(operation.selectionSet, new Set());
}

/** Returns the number of nodes that a field requests, or undefined if it is not a page. */
function pageSize(
  field: FieldNode,
  definition: GraphQLField<unknown, unknown>,
  variables: Readonly<Record<string, unknown>>,
): number | undefined {
  const page = definition.args.find(({ name }) => name === 'first');
  if (page === undefined) return undefined;
  return askedSize(field, page.name, variables) ?? Number(page.defaultValue);
}
