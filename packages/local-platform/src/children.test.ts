import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createChildren, type ProcessSpec, untilReady } from './children.ts';
import { identify, isRunning } from './process-identity.ts';

let folder: string;
let record: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mostrador-children-'));
  record = join(folder, 'children.json');
});

afterEach(() => rmSync(folder, { recursive: true }));

const node = (script: string, isReady: ProcessSpec['isReady'] = async () => true): ProcessSpec => ({
  name: 'sample',
  command: process.execPath,
  args: ['-e', script],
  stopSignal: 'SIGTERM',
  isReady,
});
const forever = 'setInterval(() => {}, 1000)';

test('a child that ignores the request to stop is killed after the limit', async () => {
  const lines: string[] = [];
  const script = `process.on('SIGTERM', () => {}); console.log('there'); ${forever}`;
  const child = createChildren(record).start(node(script), (line) => lines.push(line));
  await expect.poll(() => lines).toEqual(['there']);
  await child.stop(100);
  expect(await child.exited).toBe('SIGKILL');
});

test('waiting for a child that ends early fails with the last lines of its output', async () => {
  const spec = node("console.error('no database'); process.exit(3)", async () => 'not yet');
  const child = createChildren(record).start(spec);
  await expect(untilReady(spec, child, 30_000)).rejects.toThrow(/exit code 3[\s\S]*no database/);
});

test('waiting for a child that never gets ready fails with the answer of its probe', async () => {
  const spec = node(forever, async () => '503 starting');
  const child = createChildren(record).start(spec);
  await expect(untilReady(spec, child, 200)).rejects.toThrow('503 starting');
  await child.stop(1000);
});

test('stopSurvivors stops the processes of an earlier start', async () => {
  const left = spawn(process.execPath, ['-e', forever]);
  await once(left, 'spawn');
  writeFileSync(record, JSON.stringify([{ ...identify(left.pid ?? -1), name: 'left', stopSignal: 'SIGTERM' }]));
  expect(await createChildren(record).stopSurvivors(3000)).toEqual(['left']);
  expect(identify(left.pid ?? -1)).toBeUndefined();
});

const hasPython = spawnSync('python3', ['--version']).status === 0;
test.skipIf(process.platform !== 'linux' || !hasPython)('a process runs until its last thread has ended', async () => {
  // The first thread ends, and the other one waits for the end of the input.
  const script = `import ctypes, sys, threading
threading.Thread(target=sys.stdin.read).start()
print('there', flush=True)
ctypes.CDLL(None).pthread_exit(None)`;
  const left = spawn('python3', ['-c', script]);
  const ended = once(left, 'exit');
  await once(left.stdout, 'data');
  const pid = left.pid ?? -1;
  await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z ');
  expect(identify(pid)).toMatchObject({ pid });
  left.stdin.end();
  await ended;
  expect(identify(pid)).toBeUndefined();
});

test('stopSurvivors does not stop a foreign process that reuses the pid of a child', async () => {
  const stranger = spawn(process.execPath, ['-e', forever]);
  await once(stranger, 'spawn');
  const identity = identify(stranger.pid ?? -1);
  if (!identity) throw new Error('the process is not running');
  const others = [
    { ...identity, startTime: '1' },
    { ...identity, bootId: 'before the last restart' },
  ];
  writeFileSync(record, JSON.stringify(others.map((other) => ({ ...other, name: 'other', stopSignal: 'SIGTERM' }))));
  expect(await createChildren(record).stopSurvivors(1000)).toEqual([]);
  expect(isRunning(identity)).toBe(true);
  stranger.kill('SIGKILL');
});

test('the record lists a child while it runs', async () => {
  const child = createChildren(record).start(node(forever));
  expect(JSON.parse(readFileSync(record, 'utf8'))).toMatchObject([{ pid: child.pid, name: 'sample' }]);
  await child.stop(1000);
  expect(JSON.parse(readFileSync(record, 'utf8'))).toEqual([]);
});

test.skipIf(process.platform !== 'linux')('a child ends when its parent is killed', async () => {
  const parentScript = `
    import { createChildren } from ${JSON.stringify(join(import.meta.dirname, 'children.ts'))};
    const child = createChildren(${JSON.stringify(record)}).start({
      name: 'sample', command: process.execPath, args: ['-e', ${JSON.stringify(`console.log('there'); ${forever}`)}], stopSignal: 'SIGTERM',
    }, () => process.stdout.write(String(child.pid))); // before its first line, setpriv may not be done yet
    setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', parentScript]);
  const [pid] = await once(parent.stdout, 'data');
  parent.kill('SIGKILL');
  await expect.poll(() => identify(Number(pid))).toBeUndefined();
});
