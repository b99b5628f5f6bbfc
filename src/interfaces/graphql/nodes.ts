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
import { askedSize } from './asked-size.js';
import { fragmentsOf } from './fragments.js';
import { fieldWeight } from './field-weights.js';

/** The nodes that one root field may ask for at most: some pages within a page, not pages within pages within pages. */
export const MAX_NODES = 2000;

/**
 * The most nodes that any root field can answer with: page sizes multiply where a page is asked for within a page. Cost
 * counts root fields alone, and `project { apiKeys { … project { apiKeys … } } }` is one of them however deep it goes.
 * The document must be valid: then its fragments form no cycle.
 */
export function mostNodes(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): number {
  const fragments = fragmentsOf(document);
  /** Counted once each: it keeps a bomb of fragments linear. */
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
    // A page size out of bounds is refused by the page itself.
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

  /** Root fields are paid for one by one, so each is measured by itself. */
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

/** How many nodes a field asks for; undefined for what is no page. */
function pageSize(
  field: FieldNode,
  definition: GraphQLField<unknown, unknown>,
  variables: Readonly<Record<string, unknown>>,
): number | undefined {
  const page = definition.args.find(({ name }) => name === 'first');
  if (page === undefined) return undefined;
  return askedSize(field, page.name, variables) ?? Number(page.defaultValue);
}
