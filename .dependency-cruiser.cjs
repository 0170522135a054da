/** The arrows of docs/design.md, "Rooms". They point down only; types count. */
const rooms = {
  domain: [],
  contracts: ['domain'],
  workflows: ['contracts', 'domain'],
  storage: ['contracts', 'domain'],
  net: ['contracts', 'domain'],
  content: ['contracts', 'domain'],
  browser: ['contracts', 'domain'],
  config: ['domain'],
  // Loaded only where traces are on: see tracing-is-loaded-when-on.
  tracing: ['config', 'contracts', 'domain'],
  engine: ['storage', 'net', 'content', 'contracts', 'domain'],
  activities: ['engine', 'storage', 'net', 'content', 'contracts', 'domain'],
  workers: [
    'activities',
    'engine',
    'storage',
    'net',
    'content',
    'browser',
    'tracing',
    'config',
    'contracts',
    'domain',
  ],
  // Knows the API as any client does.
  agents: ['contracts', 'domain'],
  api: [
    'agents',
    'activities',
    'engine',
    'storage',
    'net',
    'content',
    'tracing',
    'config',
    'contracts',
    'domain',
  ],
  // Of the browser, whether there is one.
  stack: ['browser', 'config', 'contracts', 'domain'],
  boards: ['domain'],
  // Runs in a browser: of contracts the types alone.
  console: ['contracts'],
  backup: ['stack', 'storage', 'config', 'contracts', 'domain'],
  // Of storage one file alone: see cli-goes-by-the-api. Of the browser, whether there is one.
  cli: ['agents', 'backup', 'browser', 'stack', 'storage', 'net', 'config', 'contracts', 'domain'],
};
const all = Object.keys(rooms);

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    ...all.map((room) => ({
      name: `${room}-points-down`,
      severity: 'error',
      from: { path: `^${room}/` },
      to: {
        path: `^(${[...all, 'test', 'bench'].filter((to) => to !== room && !rooms[room].includes(to)).join('|')})/`,
      },
    })),
    {
      name: 'cli-goes-by-the-api',
      comment:
        'verbs ask the API, so that its audit log, quotas and answers hold for everybody; only what an API needs before its first start is done beside it',
      severity: 'error',
      from: { path: '^cli/', pathNot: '^cli/stack/prepare-database\\.ts$' },
      to: { path: '^storage/' },
    },
    {
      name: 'cli-drives-no-database',
      comment: 'nor does a verb reach Postgres or Redis by their drivers',
      severity: 'error',
      from: { path: '^cli/' },
      to: { path: 'node_modules/(pg|ioredis)/' },
    },
    {
      name: 'api-reads-no-bodies',
      comment:
        'on the event loop of the API, where one page may take seconds: routes read bodies by content/aside.ts, in threads with budgets',
      severity: 'error',
      from: { path: '^(api/|engine/(stored-answer|rule-trial|changes/differences)[.]ts$)' },
      to: {
        path: '^content/',
        pathNot: '^content/(aside|budgeted-thread|word-breaks|rules|media)[.]ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'domain-is-pure',
      comment: 'domain/ imports nothing from npm or node',
      severity: 'error',
      from: { path: '^domain/' },
      to: { dependencyTypes: ['npm', 'npm-dev', 'npm-optional', 'npm-peer', 'core'] },
    },
    {
      name: 'workflows-are-deterministic',
      severity: 'error',
      from: { path: '^workflows/' },
      to: {
        dependencyTypes: ['npm', 'npm-dev', 'core'],
        pathNot: 'node_modules/@temporalio/(workflow|common)/',
      },
    },
    {
      name: 'engine-is-without-temporal',
      comment: 'engine/ is told when to work by activities/ and api/, and knows nothing of Temporal',
      severity: 'error',
      from: { path: '^engine/' },
      to: { path: 'node_modules/@temporalio/' },
    },
    {
      name: 'storage-by-its-faces',
      comment: 'a room of storage/ is entered by its index.ts',
      severity: 'error',
      from: { pathNot: '^storage/' },
      to: { path: '^storage/[^/]+/', pathNot: '^storage/[^/]+/index[.]ts$' },
    },
    {
      name: 'storage-rooms-by-their-faces',
      severity: 'error',
      from: { path: '^storage/([^/]+)/' },
      to: { path: '^storage/[^/]+/', pathNot: ['^storage/[^/]+/index[.]ts$', '^storage/$1/'] },
    },
    {
      name: 'tracing-is-loaded-when-on',
      comment:
        'OpenTelemetry costs nothing where it is off: only tracing/ names it, and is itself imported by import()',
      severity: 'error',
      from: { pathNot: '^(tracing|test|bench)/' },
      to: {
        path: '^tracing/|node_modules/(@opentelemetry|@temporalio/interceptors-opentelemetry)/',
        dependencyTypesNot: ['dynamic-import', 'type-only'],
      },
    },
    {
      name: 'environment-is-config',
      comment: 'no import from tests',
      severity: 'error',
      from: { pathNot: '^(test|bench)/' },
      to: { path: '^test/' },
    },
    {
      name: 'not-unresolvable',
      comment: 'devtools-protocol has types alone, and nothing that could be loaded',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^devtools-protocol' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|coverage|bench/(crawlee|scrapy|colly))/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.mjs', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
