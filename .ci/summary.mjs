// Prints what failed in the steps of `.ci/run`, and then the count: "N passed, N failed". Its arguments name the steps, each
// as `name=exit code` or `name=skipped`. A step for which the machine lacks a tool ends with the code 77. It is skipped, too:
// it neither passed nor failed, and a line says so.
import { existsSync, readFileSync } from 'node:fs';

const testReports = {
  test: '.local/test-results.json',
  'test:hard': '.local/hard-test-results.json',
  'test:hard-e2e': '.local/hard-e2e-test-results.json',
};
const logLines = 60;
/** `skippedCode` of packages/testing/src/command.ts. */
const missingTool = '77';
const skipped = [];
let passed = 0;
let failed = 0;

for (const argument of process.argv.slice(2)) {
  const [name, code] = argument.split('=');
  if (code === 'skipped' || code === missingTool) {
    skipped.push(name);
    continue;
  }
  const report = readReport(testReports[name]);
  // Only failures of lint are counted: it has no tests that could pass.
  if (report) passed += report.numPassedTests;
  else if (code === '0' && name !== 'lint') passed++;
  const failures = report ? failuresOf(report) : [];
  for (const failure of failures) console.log(`\nFAILED ${failure}`);
  // A step may also fail without a failed test: before its report, or because its servers did not start.
  if (code !== '0' && failures.length === 0) {
    console.log(`\nFAILED step ${name}, exit code ${code}. The end of its output:\n${endOf(`.local/ci/${name}.log`)}`);
  }
  failed += code === '0' ? failures.length : Math.max(failures.length, 1);
}
if (skipped.length > 0) console.log(`skipped: ${skipped.join(', ')}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function readReport(path) {
  return path && existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

/** The failed tests with their errors. A file that cannot be loaded has no tests, and is one failure. */
function failuresOf({ testResults }) {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const tests = assertionResults.filter((test) => test.status === 'failed');
    if (status === 'failed' && tests.length === 0) return [`${name}\n${message}`];
    return tests.map(({ fullName, failureMessages }) => `${name} > ${fullName}\n${failureMessages.join('\n')}`);
  });
}

function endOf(path) {
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n').slice(-logLines).join('\n') : '(none)';
}
