/**
 * A GraphQL operation with the types of its result and its variables. All documents are made from the files
 * …-documents.graphql (bin/dashboard-documents.cjs), where the build finds them: a gateway that executes only listed
 * operations must know the documents of its dashboard.
 */
export interface Document<Result, Variables extends object = Record<string, never>> {
  text: string;
  /** For the compiler only: no document has it. */
  types?: (variables: Variables) => Result;
}
