import type { CodegenConfig } from '@graphql-codegen/cli';

/** Writes typed documents to src/gql, from the schema of the gateway and the queries in the components. */
const config: CodegenConfig = {
  schema: '../../schema/schema.graphql',
  documents: 'src/**/*.tsx',
  generates: {
    'src/gql/': {
      preset: 'client',
      config: {
        useTypeImports: true,
        enumsAsTypes: true,
        strictScalars: true,
        // The gateway sends an Int64 as a string, because a JavaScript number does not keep all of its digits.
        scalars: { Int64: 'string', DateTime: 'string' },
      },
    },
  },
};

export default config;
