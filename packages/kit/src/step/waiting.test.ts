import { randomUUID } from 'node:crypto';
import type { WaitingItem } from '@mostrador/contracts/core';
import { testContext } from '@mostrador/testing/context';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Database } from '../database/database.ts';
import { type WaitingSource, waitingHandlers } from './waiting.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => vi.useRealTimers());

/** A database whose transactions do nothing: the source below has no rows in it. */
const database = { read: (_, work) => work({} as never), write: (_, work) => work({} as never) } as Database;

test('a filter for which a call must look for long leaves time to change what it finds', async () => {
  let listed = 0;
  const retried: string[] = [];
  const itemOf = (): WaitingItem => ({
    ...{ kind: 'message', id: randomUUID(), lead_id: null, endpoint_id: null, workflow_id: null },
    since: new Date(Date.UTC(2026, 0, 1) + listed++ * 1000).toISOString(),
    ...{ until: null, reason: listed === 1 ? 'due' : 'behind_another', detail: '', attempts: 0 },
  });
  const source: WaitingSource = {
    find: async (_sql, _storeId, { limit }) => {
      vi.setSystemTime(Date.now() + 1000);
      return Array.from({ length: limit }, itemOf);
    },
    findStores: async () => [],
    retry: async (_sql, _storeId, { id }) => {
      retried.push(id);
      return 'done';
    },
    giveUp: async () => 'done',
  };
  const parts = { database, systemDatabase: database as never, relay: { nudge: () => {} } };
  const { retry } = waitingHandlers({ message: source }, parts).store;
  const context = testContext({ role: 'owner', timeoutMs: 10_000 });
  const answer = await retry(context, { body: { kind: 'message', filter: { reason: 'due' }, dry_run: false } });
  expect(answer).toMatchObject({ matched: 1, done: 1, skipped: [], next_cursor: expect.any(String) });
  expect(retried).toHaveLength(1);
});
