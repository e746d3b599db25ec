import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createChildren } from './children.ts';
import type { Output } from './output.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';

let folder: string;
let supervisor: Supervisor;
const said: string[] = [];
const lines: string[] = [];
const output: Output = { say: (text) => said.push(text), linesOf: () => (line) => lines.push(line), showAll() {} };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mostrador-supervisor-'));
  supervisor = createSupervisor(createChildren(join(folder, 'children.json')), output, 20);
});
afterEach(async () => {
  supervisor.startNoMore();
  await supervisor.stop(['sample'], 1000);
  rmSync(folder, { recursive: true });
});

test('a process that answers that only a restart helps is restarted', async () => {
  let answer: true | string = true;
  await supervisor.start({
    name: 'sample',
    command: process.execPath,
    args: ['-e', 'console.log(process.pid); setInterval(() => {}, 1000)'],
    stopSignal: 'SIGTERM',
    isReady: async () => answer,
    needsRestart: (given) => given !== true && given.includes('interrupted'),
  });
  await expect.poll(() => lines.length).toBe(1);
  answer = '500 interrupted (9)';
  await expect.poll(() => said.length).toBe(2);
  answer = true;
  await expect.poll(() => lines.length).toBe(2);
  expect(lines[0]).not.toBe(lines[1]);
  expect(said).toEqual([
    'sample answers, but only a restart helps: it is stopped',
    'sample ended (SIGTERM); it restarts in 0.25 s',
  ]);
});
