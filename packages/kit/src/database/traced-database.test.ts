import { expect, test } from 'vitest';
import type { Span, Tracing } from '../process/tracing.ts';
import type { Database, StoreScope } from './database.ts';
import { tracedDatabase } from './traced-database.ts';

test('work in a span keeps its scope and gets the span as its cause, and makes nothing of a context', async () => {
  const given: StoreScope[] = [];
  const database = { write: async (scope: StoreScope) => void given.push(scope) } as unknown as Database;
  const span = { traceparent: 'of the span', end: () => {} } as unknown as Span;
  const tracing = { follow: () => span, within: (_: Span, work: () => unknown) => work() } as unknown as Tracing;
  const scope = {
    ...{ storeId: 'a', deadline: 1, actor: null, requestId: 'r', isFirst: true, traceparent: 'of the request' },
    get log(): never {
      throw new Error('made for nothing');
    },
  };
  await tracedDatabase(database, tracing, 'store').write(scope, async () => {});
  expect(given).toEqual([
    { storeId: 'a', deadline: 1, actor: null, requestId: 'r', isFirst: true, traceparent: 'of the span' },
  ]);
});
