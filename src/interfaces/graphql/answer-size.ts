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
import { askedSize } from './asked-size.js';
import { fragmentsOf } from './fragments.js';
import { fieldWeight } from './field-weights.js';

/** The fields that the answers to one request may have: more would hold up everybody else's for seconds. */
export const MAX_FIELDS = 50_000;

/** What a list has whose length nothing in the document tells: the plans, the windows of a quota, the records of a domain. */
const SHORT_LIST = 5;
/** In introspection: a type has so many fields on average, and of everything else less than one. */
const FIELDS_OF_TYPE = 3;
const SIZE_ARGUMENTS: readonly string[] = ['first', 'limit'];

/** What a selection set has by itself: the fields of an answer, and the fragments beside them. */
interface Own {
  fields: number;
  spreads: string[];
}

/**
 * How many fields the answer may have. A short document can ask for a great many: aliases multiply where lists are
 * within lists, and fragments repeat them without repeating their tokens.
 * The document must be valid: then its fragments form no cycle.
 */
export function mostFields(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): number {
  const fragments = fragmentsOf(document);
  /** Measured once each, however many paths lead there. */
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

  /** Each fragment once in a selection set: it keeps a bomb of fragments linear, and execution does the same. */
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

/** How often a field's selections may stand in the answer. */
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
    // A page size out of bounds is refused by the page itself; below zero it would offset what others ask for.
    return Math.min(Math.max(items, 1), PAGE_SIZE.maximum);
  }
  if (definition.args.some(({ name }) => name === 'ids')) return PAGE_SIZE.maximum;
  // The edges of a connection are counted where its size is asked for.
  if (!isListType(getNullableType(definition.type)) || parent?.name.endsWith('Connection')) return 1;
  if (!parent?.name.startsWith('__'))
    return fieldWeight(parent?.name, definition.name)?.mostItems ?? SHORT_LIST;
  if (definition.name === 'types') return Object.keys(schema.getTypeMap()).length;
  return definition.name === 'fields' ? FIELDS_OF_TYPE : 1;
}
