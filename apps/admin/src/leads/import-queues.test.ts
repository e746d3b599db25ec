import { expect, test } from 'vitest';
import { createImportQueues } from './import-queues.ts';

type Row = { phone: string; n: number };
const rows = (count: number): Row[] =>
  Array.from({ length: count }, (_, n) => ({ phone: String(5_511_900_000_000 + (n % 37)), n }));
const soon = () => new Promise<void>((resolve) => setImmediate(resolve));

test('every row is sent once, rows of one phone in order, with at most one batch in flight per queue', async () => {
  const sent: Row[] = [];
  let underway = 0;
  let most = 0;
  const queues = createImportQueues<Row>({
    queueCount: 3,
    batchSize: 10,
    send: async (batch) => {
      most = Math.max(most, ++underway);
      expect(batch.length).toBeLessThanOrEqual(10);
      for (let i = 0; i < (batch[0]?.n ?? 0) % 5; i++) await soon();
      sent.push(...batch);
      underway--;
    },
  });
  const given = rows(1000);
  for (const row of given) await queues.add(row);
  await queues.finish();
  expect(most).toBe(3);
  expect(sent.map(({ n }) => n).toSorted((a, b) => a - b)).toEqual(given.map(({ n }) => n));
  for (const ofPhone of Object.values(Object.groupBy(sent, ({ phone }) => phone))) {
    expect(ofPhone?.map(({ n }) => n)).toEqual(ofPhone?.map(({ n }) => n).toSorted((a, b) => a - b));
  }
});

test('a full queue makes the reader wait', async () => {
  const release = Promise.withResolvers<void>();
  const queues = createImportQueues<Row>({ queueCount: 1, batchSize: 2, send: () => release.promise });
  const [a, b, c, d] = rows(4) as [Row, Row, Row, Row];
  await queues.add(a);
  await queues.add(b);
  await queues.add(c);
  let taken = false;
  const waiting = queues.add(d).then(() => {
    taken = true;
  });
  await soon();
  expect(taken).toBe(false);
  release.resolve();
  await waiting;
});

test('the error of a batch reaches the caller, and its queue sends nothing more', async () => {
  let sent = 0;
  const queues = createImportQueues<Row>({
    queueCount: 1,
    batchSize: 1,
    send: async () => {
      sent++;
      throw new Error('refused');
    },
  });
  const [a, b] = rows(2) as [Row, Row];
  await queues.add(a);
  await queues.settle();
  await expect(queues.add(b)).rejects.toThrow('refused');
  await expect(queues.finish()).rejects.toThrow('refused');
  expect(sent).toBe(1);
});
