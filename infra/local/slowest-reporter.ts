import type { Reporter, TestModule } from 'vitest/node';

const shown = 10;
const seconds = (ms: number) => (ms / 1000).toFixed(1).padStart(6);

/** Prints the files that took longest, and where their time went. */
export default class SlowestReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= shown) return;
    const files = modules.map((module) => {
      const { collectDuration, duration, environmentSetupDuration, prepareDuration, setupDuration } =
        module.diagnostic();
      const start = environmentSetupDuration + prepareDuration + setupDuration + collectDuration;
      const tests = [...module.children.allTests()].reduce((sum, test) => sum + (test.diagnostic()?.duration ?? 0), 0);
      return {
        name: module.relativeModuleId,
        start,
        hooks: Math.max(0, duration - tests),
        tests,
        all: start + duration,
      };
    });
    const total = (pick: (file: (typeof files)[number]) => number) =>
      seconds(files.reduce((sum, file) => sum + pick(file), 0));
    const slowest = files.toSorted((a, b) => b.all - a.all).slice(0, shown);
    const line = (...cells: string[]) => ` ${cells.join('  ')}`;
    console.log(
      [
        '',
        line('  all  ', 'imports', 'hooks ', 'tests ', `the ${shown} slowest of ${files.length} files, in seconds`),
        ...slowest.map(({ all, start, hooks, tests, name }) =>
          line(seconds(all), ` ${seconds(start)}`, seconds(hooks), seconds(tests), name),
        ),
        line(
          total(({ all }) => all),
          ` ${total(({ start }) => start)}`,
          total(({ hooks }) => hooks),
          total(({ tests }) => tests),
          'all files',
        ),
        '',
      ].join('\n'),
    );
  }
}
