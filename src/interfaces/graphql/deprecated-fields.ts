import { TypeInfo, visit, visitWithTypeInfo, type DocumentNode, type GraphQLSchema } from 'graphql';

/** A field that was asked for and that will be removed, as `extensions.deprecations` of the answer tells of it. */
export interface DeprecatedField {
  /** Its schema coordinate: `Query.pet`. */
  field: string;
  reason: string;
  /** RFC 3339. */
  deprecatedAt: string;
  sunset: string;
}

/** What a valid document asks for that will be removed: each once, in the order of the document. */
export function deprecatedFields(schema: GraphQLSchema, document: DocumentNode): DeprecatedField[] {
  const found = new Set<DeprecatedField>();
  const types = new TypeInfo(schema);
  const collect = () => {
    // annotate-fields.ts sets it.
    const told = types.getFieldDef()?.extensions['deprecated'];
    if (told !== undefined) found.add(told as DeprecatedField);
  };
  visit(document, visitWithTypeInfo(types, { Field: collect }));
  return [...found];
}
