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
  'tests/attack',
  'tests/boundaries',
  'tests/chaos',
  'tests/clients',
  'tests/fuzz',
  'tests/reports',
  'tests/sdk',
];
const tests = (suffix: string) => everywhere.map((folder) => `${folder}/**/*.${suffix}.ts`);
const ignored = ['**/node_modules/**', '**/fixtures/**', '.local/**'];
/** Small files that take long. Without results of an earlier run vitest begins with the largest files. */
const long = ['chaos/storm/short-run.int', 'e2e/fuzz.e2e', 'e2e/console/hostile.e2e'];
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => long.some((name) => moduleId.endsWith(`${name}.test.ts`));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
/** These stop processes of the platform, change what all stores share, or need the machine for themselves. */
const alone = ['calendar', 'console/interruptions', 'console/slow', 'followup-races', 'outage', 'reports', 'tls'].map(
  (name) => `tests/e2e/${name}.e2e.test.ts`,
);
/** Both projects use the one platform that `start.ts` starts. */
const endToEnd = {
  globalSetup: ['./tests/e2e/start.ts'],
  testTimeout: 120_000,
  expect: { poll: { timeout: 30_000 } },
  hookTimeout: 300_000,
};

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 3,
    sequence: { sequencer: LongFirst },
    reporters: ['default', ['json', { outputFile: '.local/test-results.json' }]],
    projects: [
      {
        test: {
          name: 'unit',
          isolate: false,
          include: tests('test'),
          exclude: [...ignored, '**/*.int.test.ts', '**/*.e2e.test.ts'],
          globalSetup: ['./apps/console/build/before-tests.ts'],
          // Only a busy machine needs so long.
          testTimeout: 20_000,
          expect: { poll: { timeout: 15_000 } },
          hookTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'int',
          isolate: false,
          include: tests('int.test'),
          exclude: ignored,
          setupFiles: ['./packages/testing/src/setup.ts'],
          globalSetup: ['./infra/local/test-servers.ts'],
          // Only a machine that stands still needs so long.
          testTimeout: 120_000,
          expect: { poll: { timeout: 30_000 } },
          hookTimeout: 120_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...endToEnd,
          name: 'e2e',
          include: ['tests/e2e/**/*.e2e.test.ts'],
          exclude: [...ignored, ...alone],
          provide: { alone: false },
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...endToEnd,
          name: 'e2e-alone',
          include: alone,
          fileParallelism: false,
          provide: { alone: true },
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
