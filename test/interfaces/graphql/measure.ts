import { buildSchema, getOperationAST, parse, type GraphQLSchema } from 'graphql';
import { answerSize, type AnswerSize } from '../../../src/interfaces/graphql/answer-size.js';
import { createSchemaAlone } from '../../../src/interfaces/graphql/schema/schema.js';

/** The schema that runs, with the weights of its fields. Clients read the same: see test/schema. */
export const PUBLIC_SCHEMA = createSchemaAlone();

/** What ours has not, and may have one day: an interface. */
export const INTERFACE_SCHEMA = buildSchema(`
  type Query { animals(first: Int = 3): [Animal] }
  interface Animal { young(first: Int = 5): [Animal] }
  type Dog implements Animal { young(first: Int = 5): [Animal] puppies(first: Int = 7): [Dog] }
`);

/** Measures the one operation of a document. */
export function measureIn(
  schema: GraphQLSchema,
): (source: string, variables?: Record<string, unknown>, nowMs?: number) => AnswerSize {
  return (source, variables = {}, nowMs = Date.now()) => {
    const document = parse(source);
    const operation = getOperationAST(document);
    if (operation == null) throw new Error('not one operation');
    return answerSize(schema, document, operation, variables, nowMs);
  };
}

const LEVELS = 60;

/** Valid, short, and walked path by path it would take 2^60 steps. */
export const PATHS_WITHOUT_END = `{ project(id: "a") { ...P0 } } ${Array.from({ length: LEVELS }, (_, i) => {
  const next = `{ edges { node { project { ${i + 1 < LEVELS ? `...P${i + 1}` : 'id'} } } } }`;
  return `fragment P${i} on Project { a: apiKeys ${next} b: apiKeys ${next} }`;
}).join(' ')}`;
