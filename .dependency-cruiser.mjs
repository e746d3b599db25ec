// The rules for imports between modules. tests/boundaries proves that each rule can fail.
const tests = '[.]test[.]ts$|/test/|^tests/|^tools/|^packages/(testing|local-platform)/|^workflows/src/replay/';
/** The workflow files and the modules that they share. */
const sandboxed =
  '^workflows/src/([^/]+[.]workflow|workflows|entity-workflow|failure-of-service|local-first|step-options|trace-context)[.]ts$';

/** Folders from the bottom up. A module imports from its own folder and from those before it. */
const folders = {
  'packages/kit': [
    ...['schema', 'process', 'rpc', 'database', 'clients', 'phones', 'tokens', 'resilience'],
    ...['outbox', 'idempotency', 'step', 'service'],
  ],
  'services/gateway': [
    ...[
      'http',
      'languages',
      'access',
      'stores',
      'reports',
      'routes',
      'requests',
      'plugins',
      'events',
      'exports',
      'openapi',
    ],
    ...['assets', 'docs', 'environment', 'waiting', 'api', 'platform', 'sandbox', 'console'],
  ],
  'services/messaging': [
    ...['prices', 'settings', 'channels', 'templates', 'identities', 'conversations', 'sessions', 'messages', 'inbox'],
    ...['delivery', 'merges', 'inbound', 'outbound', 'connection', 'sandbox-page', 'reports', 'restore'],
  ],
  'services/events': ['feed', 'webhooks', 'restore'],
};

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'contracts-only-typebox',
      comment: 'The contracts depend only on the library of their schemas.',
      severity: 'error',
      from: { path: '^packages/contracts/', pathNot: tests },
      to: { pathNot: '^packages/contracts/|node_modules/@sinclair/typebox/' },
    },
    {
      name: 'kit-knows-no-service',
      comment: 'contracts ← kit ← services, workflows: the kit contains no business terms.',
      severity: 'error',
      from: { path: '^packages/kit/', pathNot: tests },
      to: { path: '^(services|workflows|apps|infra|tools|tests)/|^packages/(?!kit/|contracts/)' },
    },
    {
      name: 'kit-imports-no-business-contracts',
      comment: 'The kit imports only the contracts that all operations, events and workflows share.',
      severity: 'error',
      from: { path: '^packages/(kit|rollups|totals)/', pathNot: tests },
      to: {
        path: '^packages/contracts/src/',
        pathNot: '^packages/contracts/src/(core/|events[.]ts|events/feed|workflows[.]ts)',
      },
    },
    ...Object.entries(folders).flatMap(([place, upwards]) =>
      upwards.slice(0, -1).map((folder, index) => ({
        name: `${place.split('/')[1]}-${folder}-imports-nothing-above`,
        comment:
          'The folders of the kit and the rooms of a service import in one direction. What several need stands below.',
        severity: /** @type {const} */ ('error'),
        from: { path: `^${place}/src/${folder}/`, pathNot: tests },
        to: { path: `^${place}/src/(${upwards.slice(index + 1).join('|')})/` },
      })),
    ),
    ...['rollups', 'totals', 'hours'].map((name) => ({
      name: `${name}-only-kit`,
      comment: `contracts ← kit ← ${name}: they know no service.`,
      severity: /** @type {const} */ ('error'),
      from: { path: `^packages/${name}/`, pathNot: tests },
      to: { path: `^(services|workflows|apps|infra|tools|tests)/|^packages/(?!${name}/|kit/|contracts/)` },
    })),
    {
      name: 'local-platform-only-packages',
      comment:
        'The code that starts servers and processes does not import them. It imports packages, and of infra only what ' +
        'describes the servers, and the lock of the first script.',
      severity: 'error',
      from: { path: '^packages/local-platform/', pathNot: '[.]test[.]ts$' },
      to: {
        path: '^(services|workflows|apps|tools|tests)/|^infra/(?!(nats|postgres|temporal)/|local/lock[.]mjs$)|^packages/testing/',
      },
    },
    {
      name: 'platform-only-contracts',
      comment: 'The description of the platform imports nothing that runs, so that every command can have it.',
      severity: 'error',
      from: { path: '^packages/platform/', pathNot: tests },
      to: { pathNot: '^packages/(platform|contracts)/' },
    },
    {
      name: 'sdk-stands-alone',
      comment: 'The SDK is published alone, has no dependencies, and runs in browsers and Workers too.',
      severity: 'error',
      from: { path: '^packages/sdk/', pathNot: [tests, '/readme[.]ts$'] },
      to: { pathNot: '^packages/sdk/' },
    },
    {
      name: 'testing-only-in-tests',
      comment: 'Stand-ins for providers, test servers and the local platform are never deployed.',
      severity: 'error',
      from: { path: '^(packages|services|workflows|apps)/', pathNot: tests },
      to: { path: '^packages/(testing|local-platform)/|/test/' },
    },
    {
      name: 'services-not-each-other',
      comment: 'A service calls another service only over NATS.',
      severity: 'error',
      from: { path: '^services/([^/]+)/' },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'services-only-packages',
      comment: 'A service is deployed alone: it imports neither the worker nor the code that runs the platform.',
      severity: 'error',
      from: { path: '^services/', pathNot: tests },
      to: { path: '^(workflows|apps|infra|tools|tests)/' },
    },
    {
      name: 'workflows-only-packages',
      comment: 'The worker is deployed alone: an activity sends a request to a service and never imports its code.',
      severity: 'error',
      from: { path: '^workflows/', pathNot: tests },
      to: { path: '^(services|apps|infra|tools|tests)/' },
    },
    {
      name: 'workflow-files-deterministic',
      comment: "Temporal replays workflow code for years: it imports only Temporal's library, the contracts and types.",
      severity: 'error',
      from: { path: sandboxed },
      to: {
        pathNot: [sandboxed, '^packages/contracts/', 'node_modules/@temporalio/workflow/'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'apps-only-packages',
      comment:
        'An app is a client of the platform. The admin command also prepares PostgreSQL and NATS for a deployment.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/', pathNot: tests },
      to: { path: '^(services|workflows|tools|tests)/|^infra/(?!(nats|postgres)/)|^apps/(?!$1/)' },
    },
    {
      name: 'infra-only-packages',
      comment:
        'The code that runs the platform starts processes and does not import them. Only the catalogue reads what their ' +
        'metrics are, and the check of the chart what their variables are.',
      severity: 'error',
      from: { path: '^infra/', pathNot: '^infra/(observability/catalogue|helm/environment)\\.ts$' },
      to: { path: '^(services|workflows|apps|tools|tests)/' },
    },
    {
      name: 'e2e-black-box',
      comment:
        'End-to-end tests see what a client sees. They import only the contracts, the SDK, the code that starts ' +
        'servers, and the admin command.',
      severity: 'error',
      from: { path: '^tests/e2e/' },
      to: {
        path: '^(services|workflows|apps/(?!admin/))|^packages/(?!contracts/|sdk/|testing/|local-platform/|platform/)',
      },
    },
    {
      name: 'nats-only-in-kit',
      comment: 'The kit adds deadlines, draining and limits to the library once.',
      severity: 'error',
      from: {
        path: '^(services|workflows|apps|infra|packages/(contracts|rollups|totals|local-platform))/',
        pathNot: tests,
      },
      to: { path: 'node_modules/nats/' },
    },
    {
      name: 'postgres-only-in-kit',
      comment:
        'The kit adds store scoping, deadlines and pools to the library once. The local platform administers the server.',
      severity: 'error',
      from: { path: '^(services|workflows|apps|packages/(contracts|rollups|totals))/', pathNot: tests },
      to: { path: 'node_modules/postgres/' },
    },
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'A module is dead when nothing imports it and it is no entry point.',
      severity: 'error',
      from: {
        orphan: true,
        pathNot:
          '[.](test|config)[.]ts$|/(main|migrate|skewed-clock)[.]ts$|^infra/local/(dev|test|test-servers)[.]ts$|^tools/lint/|/sdk/src/generated/readme[.]ts$|^apps/console/src/paraglide/|[.]d[.]m?ts$|[.]mjs$|/index[.]ts$',
      },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
    },
  },
};
