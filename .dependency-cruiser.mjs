// Which module may import which. tests/boundaries proves that each of these rules can fail.
const tests = '[.]test[.]ts$|/test/|^tests/|^packages/testing/|^workflows/src/replay/';
/** The workflows and the two modules they share. */
const sandboxed = '^workflows/src/([^/]+[.]workflow|workflows|entity-workflow|step-options)[.]ts$';

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'contracts-only-typebox',
      comment: 'The wire depends on nothing but the library its schemas are written in.',
      severity: 'error',
      from: { path: '^packages/contracts/', pathNot: tests },
      to: { pathNot: '^packages/contracts/|node_modules/@sinclair/typebox/' },
    },
    {
      name: 'kit-knows-no-service',
      comment: 'contracts ← kit ← services, workflows: the kit holds no business words.',
      severity: 'error',
      from: { path: '^packages/kit/', pathNot: tests },
      to: { path: '^(services|workflows|apps|infra|tests)/|^packages/(?!kit/|contracts/)' },
    },
    {
      name: 'kit-imports-no-business-contracts',
      comment: 'Of the contracts the kit uses what every operation, event and workflow has in common.',
      severity: 'error',
      from: { path: '^packages/(kit|rollups)/', pathNot: tests },
      to: { path: '^packages/contracts/src/', pathNot: '^packages/contracts/src/(core/|events[.]ts|workflows[.]ts)' },
    },
    {
      name: 'rollups-only-kit',
      comment: 'contracts ← kit ← rollups: the reporting engine knows no service.',
      severity: 'error',
      from: { path: '^packages/rollups/', pathNot: tests },
      to: { path: '^(services|workflows|apps|infra|tests)/|^packages/(?!rollups/|kit/|contracts/)' },
    },
    {
      name: 'testing-only-in-tests',
      comment: 'What stands in for a provider or starts a server for a test is never part of what is deployed.',
      severity: 'error',
      from: { path: '^(packages|services|workflows|apps)/', pathNot: tests },
      to: { path: '^packages/testing/|/test/' },
    },
    {
      name: 'services-not-each-other',
      comment: 'A service reaches another over NATS only.',
      severity: 'error',
      from: { path: '^services/([^/]+)/' },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'services-only-packages',
      comment: 'A service is deployed alone: it imports neither the worker nor what runs it.',
      severity: 'error',
      from: { path: '^services/', pathNot: tests },
      to: { path: '^(workflows|apps|infra|tests)/' },
    },
    {
      name: 'workflows-only-packages',
      comment: 'The worker is deployed alone: an activity is a request to a service, never its code.',
      severity: 'error',
      from: { path: '^workflows/', pathNot: tests },
      to: { path: '^(services|apps|infra|tests)/' },
    },
    {
      name: 'workflow-files-deterministic',
      comment: "What runs in the workflow sandbox is replayed for years: Temporal's library, the contracts, and types.",
      severity: 'error',
      from: { path: sandboxed },
      to: {
        pathNot: [sandboxed, '^packages/contracts/', 'node_modules/@temporalio/workflow/'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'apps-only-packages',
      comment: 'An app is a client of the platform.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/', pathNot: tests },
      to: { path: '^(services|workflows|infra|tests)/|^apps/(?!$1/)' },
    },
    {
      name: 'infra-only-packages',
      comment: 'What runs the platform starts processes; it does not import them.',
      severity: 'error',
      from: { path: '^infra/' },
      to: { path: '^(services|workflows|apps|tests)/' },
    },
    {
      name: 'e2e-black-box',
      comment: 'End-to-end tests see what a client sees; besides the contracts they import only what starts servers.',
      severity: 'error',
      from: { path: '^tests/e2e/' },
      to: { path: '^(services|workflows|apps)/|^packages/(?!contracts/|testing/)' },
    },
    {
      name: 'nats-only-in-kit',
      comment: 'Deadlines, draining and bounds are built once, around the library.',
      severity: 'error',
      from: { path: '^(services|workflows|apps|infra|packages/(contracts|rollups))/', pathNot: tests },
      to: { path: 'node_modules/nats/' },
    },
    {
      name: 'postgres-only-in-kit',
      comment: 'Store scoping, deadlines and pools are built once, around the library. infra administers the server.',
      severity: 'error',
      from: { path: '^(services|workflows|apps|packages/(contracts|rollups))/', pathNot: tests },
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
      comment: 'A module that nobody imports and that is no entry is dead.',
      severity: 'error',
      from: {
        orphan: true,
        pathNot:
          '[.](test|config)[.]ts$|/(main|migrate)[.]ts$|^infra/local/(dev|test|lint/.*|test-servers)[.]ts$|[.]d[.]m?ts$|[.]mjs$|/index[.]ts$',
      },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: 'specify',
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.mjs', '.js', '.json'],
    },
  },
};
