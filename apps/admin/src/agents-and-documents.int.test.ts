import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Agent,
  accountsOperations,
  type BookingRules,
  crmOperations,
  type RequestOf,
  schedulingOperations,
} from '@mostrador/contracts';
import { AppError, validationFailed } from '@mostrador/kit/rpc/errors';
import type { Handlers } from '@mostrador/kit/rpc/server';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { anyStore, startTestPlatform, type TestPlatform } from '../test/platform.ts';
import { docxOf, pdfOf } from '../test/sample-documents.ts';

const { listStores } = accountsOperations;
const { createAgent, updateAgent, importDocument } = crmOperations;
const { getBookingRules, putBookingRules } = schedulingOperations;
const store = '0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60';
const agentId = '0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f61';
const at = '2026-11-21T09:00:00.000Z';

const agent: Agent = {
  id: agentId,
  name: 'Vendas',
  model: 'auto',
  priority: 1,
  is_active: true,
  is_default: false,
  voice_id: null,
  audio_response_enabled: false,
  ...{ instructions: null, tone: null, language: null, disclosure: true, handover_when: null, version: 1 },
  tools: ['find_times', 'book'],
  condition_groups: [],
  created_at: at,
  updated_at: at,
};

/** The bodies that the services received. */
let received: unknown[] = [];
/** The conditions of the agent that crm answers with. */
let conditions: Agent['condition_groups'][number]['conditions'] = [];
const imported = new Map<string, RequestOf<typeof importDocument>['body']>();

const rules: BookingRules = {
  ...{
    overlap: 'reject',
    outside_hours: 'reject',
    capacity: 2,
    slot_step_minutes: 30,
    minimum_notice_minutes: 0,
    horizon_days: 365,
  },
  ...{ buffer_before_minutes: 0, buffer_after_minutes: 10, exceptions: [{ date: '2027-12-25', hours: [] }] },
  hours: [{ weekday: 1, from: '09:00', to: '18:00' }],
  ...{ reminders: [], confirm_words: ['1'], cancel_words: ['2'] },
};

const operations = { listStores, createAgent, updateAgent, importDocument, getBookingRules, putBookingRules };
const handlers: Handlers<typeof operations> = {
  listStores: (context, request) =>
    request.body.store_id === store ? anyStore(context, request) : Promise.resolve({ stores: [], more: false }),
  createAgent: async (context, { body }) => {
    received.push({ storeId: context.storeId, ...body });
    if (body.is_default) throw new AppError('default_agent_exists', { detail: 'The store has one already.' });
    if (body.priority === 99) throw validationFailed([{ pointer: '#/condition_groups/1/group_index', detail: 'is 0' }]);
    if (conditions.length === 0) return agent;
    return { ...agent, condition_groups: [{ id: agentId, group_index: 0, logical_operator: 'AND', conditions }] };
  },
  updateAgent: async (_context, { params, body }) => {
    received.push({ ...params, ...body });
    return agent;
  },
  getBookingRules: async () => rules,
  putBookingRules: async (context, { body }) => {
    received.push({ storeId: context.storeId, ...body });
    return rules;
  },
  importDocument: async (context, { body }) => {
    received.push({ storeId: context.storeId, ...body });
    if (body.content === 'refused') throw validationFailed([{ pointer: '#/content', detail: 'is refused' }]);
    const { name = body.title } = body;
    const before = imported.get(name);
    imported.set(name, body);
    const result = !before ? 'created' : before.content === body.content ? 'unchanged' : 'changed';
    return { result, id: agentId, title: body.title, is_active: body.is_active ?? true, passages: 1 };
  },
};

let platform: TestPlatform;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mostrador-admin-'));
  platform = await startTestPlatform(operations, handlers);
});
beforeEach(() => {
  received = [];
  conditions = [];
  imported.clear();
});
afterAll(async () => {
  await platform?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const admin = (...argv: string[]) => platform.run([...argv, '--store', store]);

const fileOf = (name: string, content: string | Uint8Array | object) => {
  const file = join(folder, name);
  const isData = typeof content === 'string' || content instanceof Uint8Array;
  writeFileSync(file, isData ? content : JSON.stringify(content));
  return file;
};
const condition = { condition_type: 'lead_status', operator: '=', value: 'lost' };

test('agent create sends the file and prints the created agent', async () => {
  const content = { name: 'Vendas', priority: 1, condition_groups: [{ group_index: 0, conditions: [condition] }] };
  const made = await admin('agent', 'create', fileOf('agent.json', content), '--json');
  expect(made).toMatchObject({ exitCode: 0, err: '' });
  expect(JSON.parse(made.out)).toEqual(agent);
  expect(received).toMatchObject([{ storeId: store, ...content }]);
});

test('agent create prints what the conditions compare', async () => {
  const hours = [{ weekday: 1, from: '09:00', to: '18:00' }];
  const open = { ...condition, condition_type: 'business_hours', value: 'open', hours, timezone: 'UTC' };
  conditions = [condition, open].map((one) => ({ id: agentId, ...one }));
  const made = await admin('agent', 'create', fileOf('agent.json', { name: 'Vendas', priority: 1 }));
  expect(made.out).toContain('(lead_status = lost and business_hours = open [Mon 09:00-18:00, UTC])');
});

test('the command names every fault by its place in the file and sends nothing', async () => {
  const groups = [
    { group_index: 0, conditions: [] },
    { group_index: 1, conditions: [{ ...condition, operator: '>' }] },
  ];
  const refused = await admin(
    'agent',
    'create',
    fileOf('agent.json', { name: 'Vendas', priority: 1, condition_groups: groups, colour: 'red' }),
  );
  expect(refused).toMatchObject({ exitCode: 2, out: '' });
  expect(refused.err).toContain('error: agent.json: condition_groups[0].conditions must have at least 1 ');
  expect(refused.err).toContain(
    'error: agent.json: condition_groups[1].conditions[0].operator must be one of: =, !=, in, not_in, contains',
  );
  expect(refused.err).toMatch(/error: agent.json: colour is not /);
  expect(received).toEqual([]);
});

test('a fault that only the service finds is named by its place, and a second default agent by its code', async () => {
  const twice = await admin('agent', 'create', fileOf('agent.json', { name: 'A', priority: 99 }));
  expect(twice).toMatchObject({ exitCode: 2, err: expect.stringContaining('condition_groups[1].group_index is 0') });
  const second = await admin('agent', 'create', fileOf('agent.json', { name: 'A', priority: 1, is_default: true }));
  expect(second).toMatchObject({ exitCode: 1, err: 'error: The store has one already. (default_agent_exists)\n' });
});

test('a file that is missing, not JSON or not an object fails with the reason', async () => {
  expect((await admin('agent', 'create', fileOf('agent.json', '{"name": '))).err).toContain('agent.json is not JSON');
  expect((await admin('agent', 'create', join(folder, 'none.json'))).err).toContain('none.json cannot be read');
  expect((await admin('agent', 'create', fileOf('agent.json', [1]))).err).toContain('the agent must be an object');
});

test('an update sends only what the file contains, and names faults by their place in the file', async () => {
  const changes = fileOf('agent.json', { is_active: false });
  expect(await admin('agent', 'update', '--agent', agentId, changes)).toMatchObject({ exitCode: 0 });
  expect(received).toEqual([{ agentId, is_active: false }]);
  const wrong = fileOf('agent.json', { condition_groups: [{ group_index: 0, conditions: [] }] });
  const refused = await admin('agent', 'update', '--agent', agentId, wrong);
  expect(refused.err).toContain('error: agent.json: condition_groups[0].conditions must have at least 1 ');
  expect((await admin('agent', 'update', changes)).err).toContain('--agent is required');
});

test('document import takes every format, and a second import updates the same documents', async () => {
  const files = [
    fileOf('a.txt', 'Texto.'),
    fileOf('b.md', '# Título\n\nTexto.'),
    fileOf('c.html', '<title>Página</title><p>Texto.</p>'),
    fileOf('d.pdf', pdfOf(['Texto.'])),
    fileOf('e.docx', docxOf(['Texto.'])),
  ];
  const first = await admin('document', 'import', ...files);
  expect(first).toMatchObject({ exitCode: 0, err: '' });
  expect(
    first.out
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[0]),
  ).toEqual(Array(5).fill('created'));
  expect([...imported.values()]).toEqual(
    ['a', 'Título', 'Página', 'd', 'e'].map((title) =>
      expect.objectContaining({ title, content: expect.stringContaining('Texto.'), locale: 'pt-BR', is_active: true }),
    ),
  );
  writeFileSync(files[0] ?? '', 'Outro texto.');
  const again = JSON.parse((await admin('document', 'import', ...files, '--json')).out);
  expect(again.documents.map(({ result }: { result: string }) => result)).toEqual([
    'changed',
    ...Array(4).fill('unchanged'),
  ]);
});

test('an unreadable file is reported, the others are imported, and the exit code is 1', async () => {
  const files = [
    fileOf('broken.pdf', 'no'),
    fileOf('long.txt', 'x'.repeat(140_000)),
    fileOf('refused.txt', 'refused'),
    join(folder, 'nowhere.md'),
    fileOf('good.txt', 'Texto.'),
    join(folder, '.', 'sub', '..', 'good.txt'),
  ];
  const ended = await admin('document', 'import', '--inactive', ...files);
  expect(ended.exitCode).toBe(1);
  expect(ended.out).toMatch(/^created {4}\S+ {2}.*good\.txt {2}\(good\)\n$/);
  expect(ended.err.replaceAll(`${folder}/`, '').trim().split('\n')).toEqual([
    'error: broken.pdf is not a PDF',
    'error: long.txt has more than 128 KiB of text; split it',
    'error: refused.txt #/content is refused.',
    'error: nowhere.md does not exist',
    'error: good.txt has the same name as an earlier file of this import; rename one of them',
  ]);
  expect(imported.get('good.txt')).toMatchObject({ is_active: false });

  const json = await admin('document', 'import', '--json', ...files.slice(3, 5));
  expect(json).toMatchObject({ exitCode: 1, err: '' });
  expect(JSON.parse(json.out).documents).toMatchObject([
    { result: 'failed', detail: 'does not exist' },
    { result: 'unchanged', title: 'good' },
  ]);
});

test('booking rules are set from a file and shown, and a fault is named by its place in the file', async () => {
  const file = fileOf('rules.json', { overlap: 'reject', capacity: 2, hours: rules.hours });
  const saved = await admin('booking', 'set', file, '--json');
  expect([saved.exitCode, JSON.parse(saved.out)]).toEqual([0, rules]);
  expect(received).toMatchObject([{ storeId: store, overlap: 'reject', capacity: 2, hours: rules.hours }]);
  const read = await admin('booking', 'show');
  expect(read).toMatchObject({ exitCode: 0, out: expect.stringContaining('Mon 09:00–18:00') });
  expect(read.out).toContain('2027-12-25 closed');
  const wrong = fileOf('rules.json', { overlap: 'reject', hours: [{ weekday: 8, from: '09:00', to: '18:00' }] });
  expect((await admin('booking', 'set', wrong)).err).toContain('rules.json: hours[0].weekday ');
});
