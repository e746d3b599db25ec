import { build, buildText } from '@mostrador/kit/process/build';
import { AppError, validationFailed } from '@mostrador/kit/rpc/errors';
import { expect, test } from 'vitest';
import { NotRunning } from './exit.ts';
import type { Platform } from './platform.ts';
import { createProgram } from './program.ts';
import { runAdmin } from './run.ts';

const store = '0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60';

/** The parts of a terminal that these tests do not use. */
const idle = {
  width: undefined,
  redraw: () => {},
  interruption: () => ({ signal: new AbortController().signal, release: () => {} }),
};

const nowhere = {
  nats: () => Promise.reject(new Error('this command must not use NATS itself')),
  addresses: () => Promise.reject(new Error('this command must not ask for addresses')),
  close: async () => {},
};

/** Runs a command line against a platform that answers every call with the same error. */
async function run(argv: string[], answer: { error?: Error; input?: string } = {}) {
  const printed: string[] = [];
  const noted: string[] = [];
  let calls = 0;
  const platform: Platform = {
    call: () => {
      calls++;
      return Promise.reject(answer.error ?? new Error('this command must not call the platform'));
    },
    ...nowhere,
  };
  const terminal = {
    print: (text: string) => void printed.push(text),
    note: (text: string) => void noted.push(text),
    readInput: async () => answer.input ?? '',
    ...idle,
  };
  const exitCode = await runAdmin(argv, { platform, terminal, environment: {} });
  return { exitCode, out: printed.join('\n'), err: noted.join('\n'), calls };
}

const commandLines = () => {
  const program = createProgram({
    platform: { call: () => Promise.reject(new Error()), ...nowhere },
    terminal: { print: () => {}, note: () => {}, readInput: async () => '', ...idle },
    environment: {},
  });
  return [
    [],
    ...program.commands.flatMap((noun) => [[noun.name()], ...noun.commands.map((verb) => [noun.name(), verb.name()])]),
  ];
};

test.each(commandLines())('the help page of `%s %s` has an example', async (...words) => {
  const help = await run([...words.filter((word) => word !== undefined), '--help']);
  expect(help.exitCode).toBe(0);
  expect(help.out).toMatch(/Examples:\n {2}\$ mostrador /);
});

test.each(commandLines().filter((words) => words.length === 2))('`%s %s` has the option --json', async (...words) => {
  expect((await run([...words, '--help'])).out).toContain('--json');
});

test.each([
  { argv: [] },
  { argv: ['store'] },
  { argv: ['sotre', 'list'] },
  { argv: ['store', 'list', '--al'] },
  { argv: ['store', 'list', 'extra'] },
  { argv: ['store', 'create'] },
  { argv: ['store', 'update', '--store', store] },
  { argv: ['key', 'revoke', '--key', 'mk_live_7Gq2mXw9Tz4b_secret'] },
  { argv: ['calendar', 'show', '--store', 'ours'] },
  { argv: ['calendar', 'connect', '--store', store, '--provider', 'caldav'] },
  {
    argv: ['calendar', 'connect', '--store', store, '--provider', 'caldav', '--url', 'https://ana:pw@dav.example.com/'],
  },
  { argv: ['calendar', 'connect', '--store', store, '--provider', 'feed', '--username', 'ana'] },
  { argv: ['store', 'update', '--store', store, '--message-wait', '9'] },
  { argv: ['store', 'update', '--message-wait', '3'] },
  { argv: ['store', 'update', '--store', store, '--opt-out-stops-api', 'yes'] },
  { argv: ['store', 'update', '--store', store, '--calendar-customer', 'yes'] },
  { argv: ['store', 'update', '--calendar-customer', 'on'] },
  { argv: ['channel', 'connect', '--store', store, '--provider', 'sandbox', '--phone-number-id', '106540352242922'] },
  { argv: ['channel', 'connect', '--store', store, '--provider', 'whatsapp_cloud', '--phone', '15550783881'] },
  { argv: ['channel', 'connect', '--store', store, '--provider', 'sandbox', '--number-rate', '0.5'] },
  { argv: ['channel', 'connect', '--store', store, '--provider', 'whatsapp_cloud', '--rotate'] },
  { argv: ['channel', 'connect', '--store', store, '--provider', 'sandbox', '--reply-window', '0'] },
  { argv: ['calendar', 'connect', '--store', store, '--provider', 'google', '--rotate'] },
  { argv: ['message', 'settle', '--store', store, '--message', store, '--as', 'delivered'] },
  { argv: ['message', 'settle', '--store', store, '--as', 'sent'] },
  { argv: ['restore', 'fence'] },
  { argv: ['restore', 'fence', '--since', 'yesterday'] },
  { argv: ['restore', 'fence', '--since', '9998-01-31T09:00:00Z'] },
  { argv: ['restore', 'release'] },
  { argv: ['calendar', 'connect', '--store', store, '--provider', 'google', '--secrets-stdin'] },
  { argv: ['calendar', 'connect', '--store', store, '--provider', 'google', '--calendar-id', 'primary'] },
  {
    argv: ['calendar', 'connect', '--store', store, '--provider', 'caldav', '--url', 'https://x', '--calendar-id', 'y'],
  },
])('wrong usage exits with code 2 and calls nothing: $argv', async ({ argv }) => {
  const answer = await run(argv);
  expect(answer).toMatchObject({ exitCode: 2, out: '', calls: 0 });
  expect(answer.err).not.toBe('');
});

test.each(['--password', '--password=hunter2', '--secrets', '--token'])(
  'a secret in the arguments is rejected with an explanation and not printed: %s',
  async (option) => {
    const answer = await run(['calendar', 'connect', '--store', store, '--provider', 'caldav', option, 'hunter2']);
    expect(answer).toMatchObject({ exitCode: 2, calls: 0 });
    expect(answer.err).toContain('--secrets-stdin');
    expect(answer.err).not.toContain('hunter2');
  },
);

test.each(['', 'hunter2', '["hunter2"]', '{"password": "hunter2"'])(
  'standard input that is not one JSON object is rejected and not printed: %s',
  async (input) => {
    const answer = await run(
      [
        'calendar',
        'connect',
        '--store',
        store,
        '--provider',
        'caldav',
        '--url',
        'https://dav.example.com/',
        '--secrets-stdin',
      ],
      { input },
    );
    expect(answer).toMatchObject({ exitCode: 2, calls: 0 });
    expect(answer.err).toContain('{"password":"…"}');
    expect(answer.err).not.toContain('hunter2');
  },
);

test('--version prints the version and the revision', async () => {
  expect(await run(['--version'])).toMatchObject({ exitCode: 0, out: buildText(build()), calls: 0 });
});

test('an error of the platform is printed with its code, and the exit code is 1', async () => {
  const error = new AppError('store_not_found');
  const answer = await run(['key', 'list', '--store', store], { error });
  expect(answer.exitCode).toBe(1);
  expect(answer.err).toContain('(store_not_found)');
});

test.each([
  new AppError('calendar_refused', { detail: 'The address is in a private network or has no TLS.' }),
  validationFailed([{ pointer: '#/url', detail: 'must not lead into a private network' }]),
])('an address in a private network names the variable that allows it: %s', async (error) => {
  expect((await run(['key', 'list', '--store', store], { error })).err).toContain('PROVIDER_ALLOW_HOSTS');
});

test('with --json an error is JSON on standard error and standard output stays empty', async () => {
  const refused = await run(['key', 'list', '--store', store, '--json'], { error: new AppError('store_not_found') });
  expect(refused.out).toBe('');
  expect(JSON.parse(refused.err).error.code).toBe('store_not_found');
  const misused = await run(['store', 'create', '--json']);
  expect(JSON.parse(misused.err).error).toMatchObject({ code: 'usage', faults: [expect.stringMatching(/^--name /)] });
  const unknown = await run(['store', 'destroy', '--json']);
  expect(JSON.parse(unknown.err).error.code).toBe('usage');
});

test.each([new NotRunning('nothing answers at 127.0.0.1:4222'), new AppError('service_unavailable')])(
  'an unreachable platform gives exit code 3 and asks whether it runs: %s',
  async (error) => {
    const answer = await run(['store', 'list'], { error });
    expect(answer.exitCode).toBe(3);
    expect(answer.err).toContain('Is `npm start` running?');
  },
);
