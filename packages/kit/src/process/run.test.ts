import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { waitFor } from '@mostrador/testing/wait';
import { describe, expect, test } from 'vitest';

type Line = { level: string; msg: string; part?: string; err?: { message: string } };

/** Runs a process with `start` as its body; `running`, `pause` and `config` are in scope there. */
function runProcess(start: string, config: { SHUTDOWN_TIMEOUT_MS?: number } = {}) {
  const script = `
    import { run } from ${JSON.stringify(new URL('./run.ts', import.meta.url).href)};
    const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    const config = ${JSON.stringify({ LOG_LEVEL: 'info', LOG_FORMAT: 'json', SHUTDOWN_TIMEOUT_MS: 5000, ...config })};
    setInterval(() => {}, 1000);
    run('test', async (running) => { ${start} }, { config });
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const exited = once(child, 'close').then(([code]) => code as number);
  const lines = (): Line[] =>
    output
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
  const says = (message: string) =>
    waitFor(() => lines().find(({ msg }) => msg === message), { description: `${message}; said ${output}` });
  return { child, exited, lines, says };
}

const parts = (lines: Line[]) => lines.map(({ msg }) => msg).filter((msg) => msg.startsWith('part '));

describe('a process', () => {
  test('stops in the reverse order of its start and exits with 0', async () => {
    const { child, exited, lines, says } = runProcess(`
      for (const name of ['pool', 'server', 'health']) {
        running.onStop(name, async () => { await pause(5); running.log.info('part ' + name); });
      }`);
    await says('started');
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
    expect(parts(lines())).toEqual(['part health', 'part server', 'part pool']);
  });

  test('stops the other parts when one fails to stop, and exits with 1', async () => {
    const { child, exited, lines, says } = runProcess(`
      running.onStop('pool', async () => running.log.info('part pool'));
      running.onStop('server', async () => { throw new Error('stuck'); });`);
    await says('started');
    child.kill('SIGINT');
    expect(await exited).toBe(1);
    expect(parts(lines())).toEqual(['part pool']);
    expect(lines()).toContainEqual(expect.objectContaining({ msg: 'a part failed to stop', part: 'server' }));
  });

  test('that does not stop in time exits with 1', async () => {
    const { child, exited, lines, says } = runProcess(`running.onStop('server', () => new Promise(() => {}));`, {
      SHUTDOWN_TIMEOUT_MS: 100,
    });
    await says('started');
    child.kill('SIGTERM');
    expect(await exited).toBe(1);
    expect(lines().at(-1)?.msg).toBe('did not stop in time');
  });

  test('that cannot start stops its started parts and exits with 1', async () => {
    const { exited, lines } = runProcess(`
      running.onStop('pool', async () => running.log.info('part pool'));
      throw new Error('port taken');`);
    expect(await exited).toBe(1);
    expect(lines()).toContainEqual(expect.objectContaining({ msg: 'did not start', level: 'fatal' }));
    expect(parts(lines())).toEqual(['part pool']);
  });

  test('stops on a signal while it starts', async () => {
    const { child, exited, lines, says } = runProcess(`
      running.onStop('pool', async () => running.log.info('part pool'));
      running.log.info('waiting');
      await new Promise(() => {});`);
    await says('waiting');
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
    expect(parts(lines())).toEqual(['part pool']);
  });

  test.each([
    ['a thrown error', `setTimeout(() => { throw new Error('bug'); }, 5);`],
    ['a rejected promise', `setTimeout(() => Promise.reject(new Error('bug')), 5);`],
  ])('exits with 1 after %s that is not caught, and logs why', async (_what, body) => {
    const { exited, lines } = runProcess(body);
    expect(await exited).toBe(1);
    expect(lines().at(-1)).toMatchObject({ level: 'fatal', msg: 'crashed', err: { message: 'bug' } });
  });

  test('treats a duplicate signal within a second as one', async () => {
    const { child, exited, lines, says } = runProcess(`
      running.onStop('server', async () => { await pause(300); running.log.info('part server'); });`);
    await says('started');
    child.kill('SIGINT');
    await says('stopping');
    child.kill('SIGINT');
    expect(await exited).toBe(0);
    expect(parts(lines())).toEqual(['part server']);
  });

  test('exits with 130 on a second signal after a second', async () => {
    const { child, exited, says } = runProcess(`running.onStop('server', () => new Promise(() => {}));`, {
      SHUTDOWN_TIMEOUT_MS: 30_000,
    });
    await says('started');
    const startedMs = performance.now();
    await waitFor(
      () => {
        child.kill('SIGINT');
        return child.exitCode !== null;
      },
      { description: 'the process is forced', intervalMs: 50 },
    );
    expect(await exited).toBe(130);
    expect(performance.now() - startedMs).toBeGreaterThan(900);
  });
});

describe('the log', () => {
  test('cuts secrets and shows only the safe members of an error', async () => {
    const { exited, lines } = runProcess(`
      const error = Object.assign(new Error('duplicate', { cause: new Error('inner') }), { code: '23505', detail: 'Key (phone)=(5511)' });
      running.log.info({ password: 'hunter2', request: { api_key: 'hunter2' }, err: error }, 'said');
      process.exit(0);`);
    await exited;
    const said = lines().find(({ msg }) => msg === 'said');
    expect(said).toMatchObject({
      service: 'test',
      level: 'info',
      password: '[cut]',
      err: { type: 'Error', message: 'duplicate', code: '23505', cause: { message: 'inner' } },
    });
    expect(JSON.stringify(said)).not.toMatch(/hunter2|5511/);
  });
});
