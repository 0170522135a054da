import tseslint from 'typescript-eslint';

/** Tests of the schema, of statements and their plans, and of what Postgres or a connection to it does. */
const testsAboutSql = [
  'test/activities/watched.test.ts',
  'test/integration/activities/outages.test.ts',
  'test/integration/storage/fair-turns.test.ts',
  'test/integration/storage/lock-order.test.ts',
  'test/integration/storage/migrate.test.ts',
  'test/integration/storage/silent-postgres.test.ts',
  'test/integration/storage/statements.test.ts',
  'test/integration/world.test.ts',
  'test/stack/stack.test.ts',
  'test/storage/many-hosts.test.ts',
  'test/support/plans.ts',
  'test/support/schema-dump.ts',
  'test/support/world.ts',
];
const sqlText =
  /^\s*(select\s[\s\S]*\sfrom\s|insert into\s|update \w+ set\s|delete from\s|with \w+ as\s|alter table\s)/;

export default tseslint.config(
  {
    ignores: [
      'dist/',
      '.cache/',
      'node_modules/',
      'coverage/',
      'bench/{crawlee,scrapy,colly,content/peers}/',
      '**/*.cjs',
    ],
  },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: { allowDefaultProject: ['*.mjs'] } } },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      // Interfaces of pipelines and reporters take functions of no interest to the linter.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      eqeqeq: 'error',
    },
  },
  {
    // Workflows are deterministic: no clock, timer or randomness but the sandbox's, no environment (docs/design.md, "The workflows").
    files: ['workflows/**', 'domain/**'],
    rules: {
      'no-restricted-globals': [
        'error',
        'process',
        'setInterval',
        'setImmediate',
        'fetch',
        'performance',
        'crypto',
      ],
    },
  },
  {
    files: ['domain/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now' },
        { object: 'Math', property: 'random' },
      ],
    },
  },
  {
    files: ['test/**'],
    ignores: ['test/support/database/**', ...testsAboutSql],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...[
          // Whatever goes to the database as text, and text that can only go there. Temporal's queries are single words.
          'CallExpression[callee.property.name="query"] > Literal.arguments[value=/\\s/]',
          'CallExpression[callee.property.name="query"] > TemplateLiteral.arguments',
          `Literal[value=${sqlText}]`,
          `TemplateElement[value.raw=${sqlText}]`,
        ].map((selector) => ({
          selector,
          message: 'SQL of tests stands in test/support/database: ask there by a name that says the effect.',
        })),
      ],
    },
  },
  { files: ['**/*.mjs'], ...tseslint.configs.disableTypeChecked },
);
