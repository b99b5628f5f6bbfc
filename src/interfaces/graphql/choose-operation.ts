import {
  getOperationAST,
  GraphQLError,
  Kind,
  type DocumentNode,
  type OperationDefinitionNode,
} from 'graphql';

const MOST_NAMED = 10;

/** Returns the requested operation of a valid document, or an error if `operationName` does not identify one. */
export function chooseOperation(
  document: DocumentNode,
  operationName: string | undefined,
): OperationDefinitionNode | GraphQLError {
  return getOperationAST(document, operationName) ?? new GraphQLError(noOperation(document, operationName));
}

function noOperation({ definitions }: DocumentNode, asked: string | undefined): string {
  const operations = definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const names = operations.flatMap(({ name }) => name?.value ?? []);
  const listed = (names.length > MOST_NAMED ? [...names.slice(0, MOST_NAMED), '…'] : names).join(', ');
  if (asked === undefined) return `Say in "operationName" which one to execute of ${listed}.`;
  const none = `There is no operation ${JSON.stringify(asked)} in the document`;
  return names.length === 0
    ? `${none}, whose only operation has no name: leave "operationName" out.`
    : `${none}: "operationName" may be ${listed}.`;
}
