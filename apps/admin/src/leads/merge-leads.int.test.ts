import { randomUUID } from 'node:crypto';
import {
  finishMerge,
  type Lead,
  type LeadMerge,
  listDuplicateLeads,
  listStores,
  listUnfinishedMerges,
  mergeConversations,
  mergeLead,
  mergeLeadScheduling,
} from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handlers } from '@mostrador/kit/rpc/server';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { anyStore, startTestPlatform, type TestPlatform } from '../../test/platform.ts';

// The tests of the services check what a merge does. These tests check the order in which the command asks for it.
// tests/chaos/exact/kill-lead-merge.int.test.ts kills it.

const storeId = randomUUID();
const [oldest, second, third] = [randomUUID(), randomUUID(), randomUUID()] as [string, string, string];
const at = '2027-01-31T09:00:00.000Z';
const lead = (id: string): Lead => ({
  ...{ id, store_id: storeId, name: 'Maria', customer_phone: '5531977776666', status: 'pending', seller_id: null },
  ...{ external_id: null, email: null, tags: [], metadata: {} },
  ...{ interaction_count: 0, ai_paused_until: null, created_at: at, updated_at: at },
});

let unfinished: LeadMerge[];
let busyTimes: number;
const asked: string[] = [];
const nameOf = (id: string) => (id === second ? 'second' : id === third ? 'third' : 'unknown');
const finished = new Set<string>();

const operations = {
  listDuplicateLeads,
  listStores,
  listUnfinishedMerges,
  mergeLead,
  finishMerge,
  mergeConversations,
  mergeLeadScheduling,
};
const handlers: Handlers<typeof operations> = {
  listStores: anyStore,
  listDuplicateLeads: async () => ({
    duplicates: [[lead(oldest), lead(second), lead(third)]],
    misread: [],
    next: null,
  }),
  listUnfinishedMerges: async () => ({ merges: unfinished }),
  mergeLead: async (_, { body: { lead_id, merged_into, dry_run } }) => {
    asked.push(`${dry_run ? 'check' : 'merge'} ${nameOf(lead_id)}`);
    if (![second, third].includes(lead_id)) throw new AppError('lead_not_found');
    return { lead_id, merged_into, merged_at: dry_run ? null : at, finished_at: finished.has(lead_id) ? at : null };
  },
  finishMerge: async (_, { body }) => {
    asked.push(`finish ${nameOf(body.lead_id)}`);
    return { done: true };
  },
  mergeConversations: async (_, { body }) => {
    if (busyTimes-- > 0) throw new AppError('lead_busy', { retryAfterSeconds: 1 });
    asked.push(`messages ${nameOf(body.lead_id)}`);
    return { messages: 2 };
  },
  mergeLeadScheduling: async (_, { body }) => {
    asked.push(`appointments ${nameOf(body.lead_id)}`);
    return { appointments: 1, followups: 0 };
  },
};

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform(operations, handlers);
});
afterAll(() => platform?.stop());
beforeEach(() => {
  asked.length = 0;
  finished.clear();
  unfinished = [];
  busyTimes = 0;
});

const merge = (...argv: string[]) => platform.run(['lead', 'merge', '--store', storeId, '--wait', '0', ...argv]);

const move = (name: string) => [`messages ${name}`, `appointments ${name}`];
const steps = (name: string) => [`merge ${name}`, ...move(name), ...move(name), `finish ${name}`];

test('a merge moves everything twice, with the wait in between, and then it is finished', async () => {
  const { out, err, exitCode } = await merge('--lead', second, '--into', oldest);
  expect(exitCode).toBe(0);
  expect(asked).toEqual(steps('second'));
  expect(err.split('\n')).toEqual([
    `${second}: merged into ${oldest} in crm`,
    `${second}: 2 messages moved`,
    `${second}: 1 appointments and 0 follow-ups moved`,
    'waiting 0.25 s until every request has ended that began before: its deadline, and 0.25 s to commit',
    `${second}: 2 messages moved`,
    `${second}: 1 appointments and 0 follow-ups moved`,
    `${second}: finished`,
    '',
  ]);
  expect(out).toMatch(new RegExp(`^${second} +${oldest} +4 +2 +0$`, 'm'));
});

test('with --all every duplicate is merged into the oldest lead, and they share one wait', async () => {
  const { out, err, exitCode } = await merge('--all', '--json');
  expect({ err, exitCode }).toEqual({ err: '', exitCode: 0 });
  expect(asked).toEqual([
    ...['second', 'third'].flatMap((name) => [`merge ${name}`, ...move(name)]),
    ...['second', 'third'].flatMap((name) => [...move(name), `finish ${name}`]),
  ]);
  const counts = { finished: true, messages: 4, appointments: 2, followups: 0 };
  expect(JSON.parse(out)).toEqual({
    dry_run: false,
    merges: [second, third].map((lead_id) => ({ lead_id, merged_into: oldest, ...counts })),
  });
});

test('merges that are not finished are completed first, and once', async () => {
  unfinished = [{ lead_id: third, merged_into: oldest }];
  await merge('--lead', second, '--into', oldest);
  expect(asked).toEqual([...steps('third'), ...steps('second')]);
  asked.length = 0;
  await merge('--lead', third.toUpperCase(), '--into', oldest);
  expect(asked).toEqual(steps('third'));
});

test('a merge that is finished is not done again', async () => {
  finished.add(second);
  expect(await merge('--lead', second, '--into', oldest)).toMatchObject({ exitCode: 0, err: '' });
  expect(asked).toEqual(['merge second']);
});

test('a dry run only checks', async () => {
  const { out, exitCode } = await merge('--all', '--dry-run');
  expect(exitCode).toBe(0);
  expect(asked).toEqual(['check second', 'check third']);
  expect(out).toContain('This was a dry run: nothing has changed.');
});

test('a busy lead is asked again until it is free', async () => {
  busyTimes = 2;
  expect(await merge('--lead', second, '--into', oldest)).toMatchObject({ exitCode: 0 });
  expect(asked).toEqual(steps('second'));
});

test('what cannot be merged, and a wrong command line, are explained', async () => {
  const unknown = await merge('--lead', randomUUID(), '--into', oldest);
  expect(unknown).toMatchObject({ exitCode: 1, out: '', err: expect.stringContaining('(lead_not_found)') });
  const alone = await merge('--lead', second);
  expect(alone).toMatchObject({ exitCode: 2, err: expect.stringContaining('--into is required') });
  const both = await merge('--all', '--lead', second, '--into', oldest);
  expect(both).toMatchObject({ exitCode: 2, err: expect.stringContaining('--all cannot be combined') });
});
