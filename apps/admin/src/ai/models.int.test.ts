import { randomUUID } from 'node:crypto';
import { accountsOperations, assistantOperations, type ModelConnection, type RequestOf } from '@mostrador/contracts';
import type { Handlers } from '@mostrador/kit/rpc/server';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { anyStore, startTestPlatform, type TestPlatform } from '../../test/platform.ts';

const { listStores } = accountsOperations;
const { connectModel, disconnectModels, showModels } = assistantOperations;
const { connectEmbedder, disconnectEmbedder, showEmbedder } = assistantOperations;
const ofEmbedders = { connectEmbedder, disconnectEmbedder, showEmbedder };
const { updateAssistantSettings } = assistantOperations;
const operations = { listStores, connectModel, disconnectModels, showModels, updateAssistantSettings, ...ofEmbedders };
const store = randomUUID();
const connection: ModelConnection = {
  ...{ provider: 'openai_compatible', url: 'https://models.example.com/v1', model: 'qwen3:8b' },
  ...{ connected_at: '2026-11-21T09:00:00.000Z', failure: null },
};
let asked: RequestOf<typeof connectModel>['body'][] = [];
const handlers: Handlers<typeof operations> = {
  listStores: anyStore,
  connectModel: async (_context, { body }) => {
    asked.push(body);
    return { ...connection, provider: body.provider, model: body.model ?? null, url: body.url ?? null };
  },
  showModels: async () => ({
    data: [connection, { ...connection, provider: 'demo', url: null, model: null }],
    budget: {
      ...{ day: '2026-11-28', calls: 12, most_calls: 500, spent: 0.25, most_spent: 5, currency: 'USD' },
      ...{ tokens: 30_000, most_tokens: 100_000, reached_at: null },
    },
  }),
  updateAssistantSettings: async (_context, { body }) => ({
    ...{
      ai: true,
      ai_quiet_seconds: 6,
      ai_max_wait_seconds: 30,
      ai_daily_calls: 500,
      ai_daily_budget: null,
      ai_daily_tokens: null,
      ai_confirm: [],
    },
    ...body,
  }),
  disconnectModels: async () => ({ done: true }),
  connectEmbedder: async (_context, { body }) => {
    asked.push({ provider: 'openai_compatible', ...body });
    return { url: body.url, model: body.model, connected_at: connection.connected_at };
  },
  showEmbedder: async () => ({
    embedder: { url: 'https://models.example.com/v1', model: 'bge-m3', connected_at: connection.connected_at },
    index: { passages: 40, indexed: 12, failure: 'timed_out', attempts: 2, next_attempt_at: null },
  }),
  disconnectEmbedder: async () => ({ done: true }),
};

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform(operations, handlers);
});
beforeEach(() => {
  asked = [];
});
afterAll(() => platform?.stop());

const ai = (verb: string, options: string[], input?: string) =>
  platform.run(['ai', verb, '--store', store, ...options], input === undefined ? {} : { input });

test('ai connect sends the key from standard input, and shows none', async () => {
  const options = ['--provider', 'openai_compatible', '--url', 'https://models.example.com/v1', '--model', 'qwen3:8b'];
  const connected = await ai('connect', [...options, '--secrets-stdin'], '{"api_key": "sk-hunter2"}');
  expect(connected).toMatchObject({ exitCode: 0, err: '' });
  expect(connected.out).toContain('openai_compatible/qwen3:8b');
  expect(connected.out).not.toContain('hunter2');
  expect(asked).toEqual([
    {
      ...{ provider: 'openai_compatible', url: 'https://models.example.com/v1', model: 'qwen3:8b' },
      secrets: { api_key: 'sk-hunter2' },
    },
  ]);
});

test('ai show lists the default first, and ai disconnect takes one provider or all', async () => {
  const { out } = await ai('show', []);
  expect(out.indexOf('qwen3:8b')).toBeLessThan(out.indexOf('demo'));
  expect(out).toMatch(/calls +12 of 500[\s\S]*spent +0.25 of 5 USD/);
  expect((await ai('disconnect', ['--provider', 'openai'])).exitCode).toBe(0);
  expect((await ai('disconnect', [])).exitCode).toBe(0);
});

const embedder = (verb: string, options: string[], input?: string) =>
  platform.run(['embedder', verb, '--store', store, ...options], input === undefined ? {} : { input });

test('embedder connect sends the key from standard input, and embedder show says how far the index is', async () => {
  const options = ['--url', 'https://models.example.com/v1', '--model', 'bge-m3'];
  const connected = await embedder('connect', [...options, '--secrets-stdin'], '{"api_key": "sk-hunter2"}');
  expect(connected).toMatchObject({ exitCode: 0, err: '' });
  expect(connected.out).not.toContain('hunter2');
  expect(asked).toMatchObject([{ model: 'bge-m3', secrets: { api_key: 'sk-hunter2' } }]);
  expect((await embedder('show', [])).out).toMatch(/12 of 40 have vectors[\s\S]*timed_out/);
  expect((await embedder('disconnect', [])).exitCode).toBe(0);
  for (const wrong of [['--model', 'm'], ['--url', 'localhost:1', '--model', 'm'], options.slice(0, 2)]) {
    expect((await embedder('connect', wrong)).exitCode).toBe(2);
  }
});

test.each<[string, string[], string | undefined, string]>([
  ['an unknown provider', ['--provider', 'claude'], undefined, '--provider'],
  ['no provider', [], undefined, '--provider'],
  ['no address', ['--provider', 'openai_compatible', '--model', 'm'], undefined, '--url is required'],
  ['no model', ['--provider', 'openai_compatible', '--url', 'https://a.example'], undefined, '--model is required'],
  ['no key', ['--provider', 'gemini'], undefined, '--secrets-stdin is required'],
  ['an option that demo has not', ['--provider', 'demo', '--model', 'm'], undefined, '--model is not for'],
  [
    'no full address',
    ['--provider', 'openai_compatible', '--url', 'localhost:1', '--model', 'm'],
    undefined,
    '--url must be a full address',
  ],
  ['another secret', ['--provider', 'openai', '--secrets-stdin'], '{"token": "hunter2"}', 'api_key'],
  ['a key with a line break', ['--provider', 'openai', '--secrets-stdin'], '{"api_key": "hunter2\\n"}', 'api_key'],
  ['no JSON', ['--provider', 'openai', '--secrets-stdin'], 'hunter2', 'not one JSON object'],
  ['a key in the arguments', ['--provider', 'openai', '--api-key', 'hunter2'], undefined, 'there is no --api-key'],
])('ai connect refuses %s before it asks the platform', async (_, options, input, fault) => {
  const refused = await ai('connect', options, input);
  expect(refused).toMatchObject({ exitCode: 2, out: '', err: expect.stringContaining(fault) });
  expect(refused.err).not.toContain('hunter2');
  expect(asked).toEqual([]);
});

test('store update sets what the AI may use a day, and removes a limit', async () => {
  const update = (...options: string[]) => platform.run(['store', 'update', '--store', store, ...options]);
  expect((await update('--ai-daily-calls', '20', '--ai-daily-budget', '2.5')).out).toMatch(
    /ai daily calls +20\n[\s\S]*ai daily budget +2.5/,
  );
  expect((await update('--ai-daily-tokens', '50000')).out).toMatch(/ai daily tokens +50000/);
  expect((await update('--ai-daily-tokens', 'none')).out).toMatch(/ai daily tokens +none/);
  expect((await update('--ai-daily-budget', 'none')).out).toMatch(/ai daily budget +none/);
});

test.each<[string, string, string[], string]>([
  ['an unknown store', 'ai show', ['--store', 'mine'], '--store'],
  ['no store', 'ai show', [], '--store'],
  ['an unknown provider', 'ai disconnect', ['--store', store, '--provider', 'claude'], '--provider'],
  ['no store', 'ai disconnect', [], '--store'],
  ['an argument too many', 'ai show', ['--store', store, 'all'], 'all'],
  ['neither on nor off', 'store update', ['--store', store, '--ai', 'yes'], '--ai'],
  ['a negative time', 'store update', ['--store', store, '--ai-quiet-seconds', '-1'], '--ai-quiet-seconds'],
  ['too long a wait', 'store update', ['--store', store, '--ai-max-wait-seconds', '301'], '--ai-max-wait-seconds'],
  ['no whole number', 'store update', ['--store', store, '--ai-daily-calls', '1.5'], '--ai-daily-calls'],
  ['no number of tokens', 'store update', ['--store', store, '--ai-daily-tokens', 'few'], '--ai-daily-tokens'],
  ['a negative amount', 'store update', ['--store', store, '--ai-daily-budget', '-1'], '--ai-daily-budget'],
  ['a currency', 'store update', ['--store', store, '--ai-daily-budget', 'R$5'], '--ai-daily-budget'],
])('%s is refused by %s before it asks the platform', async (_, command, options, fault) => {
  const refused = await platform.run([...command.split(' '), ...options]);
  expect(refused).toMatchObject({ exitCode: 2, out: '', err: expect.stringContaining(fault) });
});
