import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { root } from '@mostrador/local-platform/paths';
import { type ExactBreak, exactBreaks } from './breaks.ts';

/**
 * Runs an exact test with each break in the code of all processes. Resolves with true when each test has failed and said
 * what the break does. Without a break these tests are part of `npm run test:hard`.
 *
 * @param only only breaks whose name contains this text
 */
export async function tryExactBreaks(only: string | undefined, say: (text: string) => void): Promise<boolean> {
  const chosen = exactBreaks.filter(({ name }) => name.includes(only ?? ''));
  if (chosen.length === 0) throw new Error(`no break name contains "${only}"`);
  let good = 0;
  for (const one of chosen) {
    const startedAt = performance.now();
    const { passed, output } = await runWith(one);
    const [found] = one.finds.exec(output) ?? [];
    const isGood = !passed && found !== undefined;
    if (isGood) good += 1;
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0).padStart(3);
    say(`${seconds} s  ${isGood ? 'ok    ' : 'FAILED'}  ${one.name}`);
    say(`${' '.repeat(15)}${passed ? 'the test passed' : (found ?? output.slice(-shownOfOutput))}`);
  }
  say(`\n${good} of ${chosen.length} breaks were found by their tests.`);
  return good === chosen.length;
}

const shownOfOutput = 3_000;

function runWith({ name, test }: ExactBreak): Promise<{ passed: boolean; output: string }> {
  const file = `tests/chaos/exact/${test}.int.test.ts`;
  const runner = spawn(process.execPath, [join(root, 'infra/local/test.ts'), '--project', 'hard', file], {
    cwd: root,
    env: { ...process.env, CHAOS_BREAK: name },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [runner.stdout, runner.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  return new Promise((resolve, reject) => {
    runner.on('error', reject);
    runner.on('close', (code) => resolve({ passed: code === 0, output: stripVTControlCharacters(output) }));
  });
}
