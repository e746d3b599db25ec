import { expect, test } from 'vitest';
import { checkRows, type Row } from './invariants.ts';
import type { Entry } from './journal.ts';
import { requestTimeoutMs } from './platform.ts';

// The run's judge must be able to find what it looks for.

const store = { id: 'store', key: 'key', leadId: 'lead', calendar: 'feed', feedUrl: null } as const;
const sentAt = Date.parse('2026-11-21T12:00:00Z');

const entryOf = (more: Partial<Entry> = {}): Entry => ({
  store,
  key: 'k',
  notes: 'chaos k',
  body: { title: 'Corte', scheduled_at: '2026-12-01T12:00:00.000Z', duration_minutes: 30, lead_id: null },
  attempts: [{ sentAt, status: 201, afterMs: 5 }],
  ids: new Set(['a']),
  acknowledged: '{"id":"a"}',
  abandoned: false,
  may: [{ title: 'Corte', status: 'scheduled' }],
  busy: false,
  ...more,
});
const rowOf = (more: Partial<Row> = {}): Row => ({
  id: 'a',
  store_id: 'store',
  notes: 'chaos k',
  title: 'Corte',
  scheduled_at: new Date('2026-12-01T12:00:00.000Z'),
  duration_minutes: 30,
  lead_id: null,
  status: 'scheduled',
  created_at: new Date(sentAt + 3),
  ...more,
});
const judge = (entry: Entry, ...rows: Row[]) => {
  const findings = { lost: [], doubled: [], broken: [] };
  checkRows({ entries: [entry] }, rows, findings);
  return Object.entries(findings).map(([name, found]) => [name, (found as string[]).length]);
};
const found = (lost: number, doubled: number, broken: number) => Object.entries({ lost, doubled, broken });

test('what is as it was acknowledged is found to be in order', () => {
  expect(judge(entryOf(), rowOf())).toEqual(found(0, 0, 0));
});

test.each([
  ['no row', []],
  ['another title', [rowOf({ title: 'Another' })]],
  ['a change that was not asked for', [rowOf({ status: 'cancelled' })]],
  ['another time', [rowOf({ scheduled_at: new Date(0) })]],
  ['another id', [rowOf({ id: 'b' })]],
  ['another store', [rowOf({ store_id: 'other' })]],
])('an acknowledged appointment with %s is lost', (_, rows) => {
  expect(judge(entryOf(), ...rows)).toEqual(found(1, 0, 0));
});

test('two rows of a key, and two ids that were answered to it, are doubled', () => {
  expect(judge(entryOf(), rowOf(), rowOf({ id: 'b' }))).toEqual(found(0, 1, 0));
  expect(judge(entryOf({ ids: new Set(['a', 'b']) }), rowOf())).toEqual(found(0, 1, 0));
});

test('a row that was made after every deadline, after nothing but 503, or for nobody is a fault', () => {
  const late = new Date(sentAt + requestTimeoutMs + 1000);
  expect(judge(entryOf(), rowOf({ created_at: late }))).toEqual(found(0, 0, 1));
  const refused = { acknowledged: undefined, ids: new Set<string>(), attempts: [{ sentAt, status: 503, afterMs: 5 }] };
  expect(judge(entryOf(refused), rowOf())).toEqual(found(0, 0, 1));
  expect(judge(entryOf(), rowOf(), rowOf({ id: 'b', notes: 'chaos of nobody' }))).toEqual(found(0, 0, 1));
});

test('an unknown outcome may be either: a row or none, the change or not', () => {
  const unknown = {
    acknowledged: undefined,
    ids: new Set<string>(),
    attempts: [{ sentAt, status: 504, afterMs: 4000 }],
  };
  expect(judge(entryOf(unknown))).toEqual(found(0, 0, 0));
  expect(judge(entryOf(unknown), rowOf())).toEqual(found(0, 0, 0));
  const changed = entryOf({
    may: [
      { title: 'Corte', status: 'scheduled' },
      { title: 'Corte', status: 'cancelled' },
    ],
  });
  for (const status of ['scheduled', 'cancelled'] as const) {
    expect(judge(changed, rowOf({ status }))).toEqual(found(0, 0, 0));
  }
});
