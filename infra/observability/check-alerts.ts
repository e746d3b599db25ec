import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { skippedCode } from '../../packages/testing/src/command.ts';

// `npm run alerts`: Prometheus' own tool checks the rules, and tests that each fires when it must and is quiet before.
// Exit codes: 0 all is right; 1 something is not; 77 this machine lacks the tool.

const rules = join(import.meta.dirname, 'rules');
const calls = [
  ['check', 'rules', 'alerts.yaml'],
  ['test', 'rules', 'alerts.test.yaml'],
];

if (spawnSync('promtool', ['--version']).error) {
  const how = 'It is part of the Debian package `prometheus`, and of every release of Prometheus.';
  process.stdout.write(`The alerts are skipped, because this machine has no promtool. ${how}\n`);
  process.exitCode = skippedCode;
} else {
  for (const args of calls) {
    const { status } = spawnSync('promtool', args, { cwd: rules, stdio: 'inherit' });
    if (status !== 0) process.exit(1);
  }
}
