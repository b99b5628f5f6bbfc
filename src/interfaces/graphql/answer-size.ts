import {
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
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
 * Maximum number of fields in the response to one request. A larger response would hold up all other requests for
 * seconds.
 */
export const MAX_FIELDS = 50_000;

/**
 * Assumed length of a list whose length the document does not limit: the plans, the windows of a quota, the records of
 * a domain.
 */
const SHORT_LIST = 5;
/**
 * In introspection: average number of fields of a type. All other lists of introspection have fewer than one item on
 * average.
 */
const FIELDS_OF_TYPE = 3;
const SIZE_ARGUMENTS: readonly string[] = ['first', 'limit'];

/** The fields and the fragment spreads of a selection set itself. */
interface Own {
  fields: number;
  spreads: string[];
}

/**
 * Returns the most fields that the response may have. A short document can ask for a great many: aliases multiply them
 * where lists contain lists, and fragments repeat fields without repeating tokens.
 * The document must be valid, so that its fragments form no cycle.
 */
export function mostFields(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): number {
  const fragments = fragmentsOf(document);
  /** Each set is measured once, however many paths lead to it. */
  const measured = new Map<SelectionSetNode, number>();
  const owned = new Map<SelectionSetNode, Own>();

  function ofField(field: FieldNode, parent: GraphQLNamedType | undefined): number {
    const definition = definitionOf(field.name.value, parent);
    if (definition === undefined || field.selectionSet === undefined) return 1;
    const below = ofSet(field.selectionSet, getNamedType(definition.type));
    return 1 + mostItems(schema, field, definition, parent, variables) * below;
  }

  function ofSet(set: SelectionSetNode, parent: GraphQLNamedType | undefined): number {
    let fields = measured.get(set);
    if (fields === undefined) {
      fields = withFragments(ownOf(set, parent), new Set());
      measured.set(set, fields);
    }
    return fields;
  }

  /**
   * Counts each fragment once in a selection set, as execution does. The work stays linear even if nested fragments
   * expand exponentially.
   */
  function withFragments({ fields, spreads }: Own, spread: Set<string>): number {
    return spreads.reduce((sum, name) => {
      const fragment = fragments.get(name);
      if (fragment === undefined || spread.has(name)) return sum;
      spread.add(name);
      const type = schema.getType(fragment.typeCondition.name.value);
      return sum + withFragments(ownOf(fragment.selectionSet, type), spread);
    }, fields);
  }

  function ownOf(set: SelectionSetNode, parent: GraphQLNamedType | undefined): Own {
    let own = owned.get(set);
    if (own === undefined) {
      own = { fields: 0, spreads: [] };
      addOwn(own, set, parent);
      owned.set(set, own);
    }
    return own;
  }

  function addOwn(own: Own, { selections }: SelectionSetNode, parent: GraphQLNamedType | undefined): void {
    for (const selection of selections)
      switch (selection.kind) {
        case Kind.FIELD:
          own.fields += ofField(selection, parent);
          break;
        case Kind.INLINE_FRAGMENT: {
          const on = selection.typeCondition?.name.value;
          addOwn(own, selection.selectionSet, on === undefined ? parent : schema.getType(on));
          break;
        }
        case Kind.FRAGMENT_SPREAD:
          own.spreads.push(selection.name.value);
      }
  }

  return ofSet(operation.selectionSet, schema.getRootType(operation.operation) ?? undefined);
}

function definitionOf(
  name: string,
  parent: GraphQLNamedType | undefined,
): GraphQLField<unknown, unknown> | undefined {
  if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
  if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
}

/** Returns how often a field's selections may occur in the response. */
function mostItems(
  schema: GraphQLSchema,
  field: FieldNode,
  definition: GraphQLField<unknown, unknown>,
  parent: GraphQLNamedType | undefined,
  variables: Readonly<Record<string, unknown>>,
): number {
  const size = definition.args.find(({ name }) => SIZE_ARGUMENTS.includes(name));
  if (size !== undefined) {
    const items = askedSize(field, size.name, variables) ?? Number(size.defaultValue);
    // The resolver rejects a page size out of bounds. A negative size must not offset the other fields.
    return Math.min(Math.max(items, 1), PAGE_SIZE.maximum);
  }
  if (definition.args.some(({ name }) => name === 'ids')) return PAGE_SIZE.maximum;
  // The edges of a connection are counted where its size is given.
  if (!isListType(getNullableType(definition.type)) || parent?.name.endsWith('Connection')) return 1;
  if (!parent?.name.startsWith('__'))
    return fieldWeight(parent?.name, definition.name)?.mostItems ?? SHORT_LIST;
  if (definition.name === 'types') return Object.keys(schema.getTypeMap()).length;
  return definition.name === 'fields' ? FIELDS_OF_TYPE : 1;
}
