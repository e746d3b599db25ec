import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const everywhere = [
  'packages',
  'services',
  'workflows',
  'apps',
  'infra',
  'docs',
  'bench',
  'tools',
  'tests/attack',
  'tests/boundaries',
  'tests/chaos',
  'tests/evals',
  'tests/fuzz',
  'tests/reports',
];
const tests = (suffix: string) => everywhere.map((folder) => `${folder}/**/*.${suffix}.ts`);
const ignored = ['**/node_modules/**', '**/fixtures/**', '.local/**'];
/**
 * What kills, attacks and fuzzes the platform, stops its servers, and needs tables of 100,000 rows: `npm run test:hard`,
 * which `.ci/run` runs too.
 */
const hard = ['tests/attack', 'tests/chaos', 'tests/reports']
  .map((folder) => `${folder}/**/*.int.test.ts`)
  .concat('**/*.{hard,plans}.int.test.ts');
const endToEndOf = (names: string[]) => names.map((name) => `tests/e2e/${name}.e2e.test.ts`);
const hardEndToEnd = endToEndOf(['console/attacks', 'console/hostile', 'console/slow', 'fuzz']);
/** `npm run replay` runs this one. */
const replay = 'workflows/src/replay/scenarios.replay.int.test.ts';
/**
 * Files that take a minute or more, for which others must not wait at the end. Without results of an earlier run vitest
 * begins with the largest files.
 */
const long = [
  ...['chaos/exact/followups/kill-everything.int', 'chaos/exact/kill-changed-number.int'],
  ...['chaos/exact/kill-hidden-customer.int', 'chaos/exact/kill-answers.int', 'chaos/exact/kill-assistant.int'],
  ...['chaos/exact/kill-give-up.int', 'chaos/exact/kill-scheduling.int'],
  ...['docs/operations/deploy.hard.int', 'webhooks/replays/replay-and-planner.hard.int'],
  ...['workflows/src/readiness.hard.int', 'e2e/tls.hard.int', 'e2e/console/hostile.e2e', 'e2e/fuzz.e2e'],
];
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => long.some((name) => moduleId.endsWith(`${name}.test.ts`));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
/** These stop processes of the platform, change what all stores share, or need the machine for themselves. */
const alone = endToEndOf(['without-temporal', 'reports']);
const hardAlone = endToEndOf(['console/interruptions', 'followup-races', 'outage']);
/** Two cores are assumed. `--maxWorkers` sets another number for all projects. */
const workers = (count: number) =>
  process.argv.some((argument) => argument.startsWith('--maxWorkers')) ? {} : { maxWorkers: count };
/** A test that failed while all processes stood still: packages/testing/src/after-standstill.ts. */
const afterStandstill = { count: 2, condition: /^The machine stood still for / };
/**
 * Node loads the files as it does in production, with the compile cache of `test.ts`: nothing is transformed. So there are
 * no mocks of modules.
 */
const native = { viteModuleRunner: false, nodeLoader: false };
/**
 * Integration tests wait for a third of their time. Unit tests are in their group, for which vitest wants one number: they
 * wait too, and take what is left when the last integration tests run.
 */
const beside = 5;
const integration = {
  isolate: false,
  experimental: native,
  retry: afterStandstill,
  ...workers(beside),
  setupFiles: ['./packages/testing/src/after-standstill.ts', './packages/testing/src/setup.ts'],
  globalSetup: ['./infra/local/test-servers.ts'],
  // Only a machine that stands still needs so long.
  testTimeout: 300_000,
  expect: { poll: { timeout: 120_000 } },
  hookTimeout: 300_000,
};
/** These projects use the one platform that `start.ts` provides. */
const endToEnd = {
  isolate: false,
  experimental: native,
  retry: afterStandstill,
  setupFiles: ['./packages/testing/src/after-standstill.ts', './tests/e2e/started.ts'],
  globalSetup: ['./tests/e2e/start.ts'],
  testTimeout: 300_000,
  expect: { poll: { timeout: 120_000 } },
  hookTimeout: 300_000,
};

/** `.ci/run` counts what each of its steps has passed. */
const [, hardSet] = process.argv.map((argument) => /^(hard|hard-e2e)[*]?$/.exec(argument)).find(Boolean) ?? [];
const results = hardSet ? `.local/${hardSet}-test-results.json` : '.local/test-results.json';

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 3,
    sequence: { sequencer: LongFirst },
    reporters: ['default', './infra/local/slowest-reporter.ts', ['json', { outputFile: results }]],
    projects: [
      {
        test: {
          name: 'unit',
          isolate: false,
          experimental: native,
          ...workers(beside),
          retry: afterStandstill,
          setupFiles: ['./packages/testing/src/after-standstill.ts'],
          include: tests('test'),
          exclude: [...ignored, '**/*.int.test.ts', '**/*.e2e.test.ts'],
          globalSetup: ['./apps/console/build/before-tests.ts'],
          // Only a busy machine needs so long.
          testTimeout: 60_000,
          expect: { poll: { timeout: 45_000 } },
          hookTimeout: 300_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...integration,
          name: 'int',
          include: tests('int.test'),
          exclude: [...ignored, ...hard, replay],
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...endToEnd,
          name: 'e2e',
          // They wait for pages and for the platform: three leave half of two cores idle.
          ...workers(4),
          include: ['tests/e2e/**/*.e2e.test.ts'],
          exclude: [...ignored, ...alone, ...hardEndToEnd, ...hardAlone],
          provide: { alone: false },
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...endToEnd,
          name: 'e2e-alone',
          include: alone,
          fileParallelism: false,
          provide: { alone: true },
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...integration,
          name: 'hard',
          globalSetup: [...integration.globalSetup, './infra/local/test-programs.ts'],
          // These wait for processes that start again, for half of their time. One more makes requests reach their deadlines
          // on a slow machine.
          ...workers(4),
          include: hard,
          exclude: ignored,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          ...endToEnd,
          name: 'hard-e2e',
          include: hardEndToEnd,
          provide: { alone: false },
          sequence: { groupOrder: 4 },
        },
      },
      {
        test: {
          ...endToEnd,
          name: 'hard-e2e-alone',
          include: hardAlone,
          fileParallelism: false,
          provide: { alone: true },
          sequence: { groupOrder: 5 },
        },
      },
      {
        test: {
          ...integration,
          name: 'replay',
          include: [replay],
          sequence: { groupOrder: 6 },
        },
      },
    ],
  },
});
