import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(new URL('tools/lint/package.json', import.meta.url));
const js = require('@eslint/js');
const security = require('eslint-plugin-security');
const tseslint = require('typescript-eslint');

const [, PLAN_IDS] = /PLAN_IDS = \[(.+)\] as const/.exec(
  readFileSync(new URL('src/features/plans/plans.ts', import.meta.url), 'utf8'),
);
const planIds = PLAN_IDS.replaceAll("'", '').split(', ').join('|');

const PLANS_BY_NAME = ['BinaryExpression[operator=/^[!=]==?$/]', 'SwitchCase'].map((place) => ({
  selector: `${place} > Literal[value=/^(${planIds})$/]`,
  message: 'Ask the plan what it includes (src/features/plans/plans.ts), not which one it is.',
}));
const CONSTANT_IN_LOWER_CASE = {
  selector:
    ':matches(Program, ExportNamedDeclaration) > VariableDeclaration[kind="const"] > VariableDeclarator[id.name=/^[a-z]/]:matches([init.type="Literal"], [init.type="BinaryExpression"], [init.type="ArrayExpression"])',
  message: 'A constant value of a module is named in capitals: RETRY_MS.',
};

export default tseslint.config(
  // The React examples have packages, a compiler and types of their own, and check themselves when they are built.
  {
    ignores: [
      '**/dist/',
      '**/node_modules/',
      '.data/',
      'coverage/',
      'examples/react-*/',
      '**/.venv/',
      '**/target/',
    ],
  },
  js.configs.recommended,
  security.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      curly: ['error', 'multi'],
      // As tools/prose/words.mjs forbids them in texts.
      'id-denylist': ['error', 'anew', 'mend', 'mended', 'stranger', 'tell', 'told', 'whoever'],
      // Express and Mongoose hand out objects that only stand for the classes they are typed as.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      // Decorated GraphQL classes are classes by type-graphql's design.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      // A name with an underscore says that it is left out on purpose.
      '@typescript-eslint/no-unused-vars': ['error', { varsIgnorePattern: '^_', argsIgnorePattern: '^_' }],
      // Typed index access is the point of a typed language; the rule cannot tell it from an injection.
      'security/detect-object-injection': 'off',
      // Every path comes from a setting or a constant, never from a request.
      'security/detect-non-literal-fs-filename': 'off',
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/config/config.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: 'src/config/config.ts is the only reader of process.env.',
        },
      ],
    },
  },
  {
    files: ['dashboard/**/*.{ts,tsx}'],
    rules: { 'no-restricted-syntax': ['error', ...PLANS_BY_NAME] },
  },
  {
    // A later setting of a rule replaces an earlier one, so both kinds stand together.
    files: ['src/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...PLANS_BY_NAME, CONSTANT_IN_LOWER_CASE] },
  },
  {
    files: ['**/*.mjs', '**/*.cjs', 'bin/*.js'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        fetch: 'readonly',
        setTimeout: 'readonly',
        Buffer: 'readonly',
        require: 'readonly',
        module: 'writable',
        __dirname: 'readonly',
      },
    },
    rules: {
      'security/detect-non-literal-fs-filename': 'off',
      'security/detect-object-injection': 'off',
      'security/detect-child-process': 'off',
    },
  },
  {
    // Reads only the files of this repository.
    files: ['tools/prose/*.mjs'],
    rules: { 'security/detect-unsafe-regex': 'off' },
  },
  {
    // Runs in the browsers of visitors, as it stands.
    files: ['src/features/publishing/storefront/page/*.js'],
    languageOptions: {
      globals: Object.fromEntries(
        ['document', 'location', 'history', 'fetch', 'console', 'URL', 'URLSearchParams']
          .concat([
            'AbortController',
            'AbortSignal',
            'addEventListener',
            'navigator',
            'setInterval',
            'clearInterval',
          ])
          .map((name) => [name, 'readonly']),
      ),
    },
    rules: { 'security/detect-object-injection': 'off' },
  },
);
