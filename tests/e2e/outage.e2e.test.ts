import { randomUUID } from 'node:crypto';
import { awakeMs } from '@mostrador/testing/awake';
import { beforeAll, expect, inject, test } from 'vitest';
import { admin, daysAhead, eventually, newStore, processes, request, signal } from './platform.ts';
import { expectProblem } from './problem.ts';

const { requestTimeoutMs } = inject('platform');
/** How late after its deadline an answer may come, because the machine is busy. */
const graceMs = 20_000;
let store: Awaited<ReturnType<typeof newStore>>;

beforeAll(async () => {
  store = await newStore();
});

const createLead = (phone: string, headers: Record<string, string> = {}) =>
  request('POST', '/leads', { key: store.key, body: { name: 'Ana', customer_phone: phone }, headers });

test('a hanging service gives 504 by the deadline, and a retry with the same key is safe', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  signal('crm', 'SIGSTOP');
  const startedAt = awakeMs();
  try {
    expectProblem(await createLead('5511900000020', headers), 'upstream_timeout');
    expect(awakeMs() - startedAt).toBeLessThan(requestTimeoutMs + graceMs);
  } finally {
    signal('crm', 'SIGCONT');
  }
  const again = await eventually(
    () => createLead('5511900000020', headers),
    ({ status }) => status === 201,
  );
  expect(again.body.customer_phone).toBe('5511900000020');
});

test('a killed service gives 503 with retry-after until it is back', async () => {
  const made = { 'idempotency-key': randomUUID() };
  const { id } = (
    await eventually(
      () => createLead('5511900000021', made),
      ({ status }) => status === 201,
    )
  ).body;
  const read = () => request('GET', `/leads/${id}`, { key: store.key });
  signal('crm', 'SIGKILL');
  // Sent without waiting for answers, because a request that the service has just received gets none.
  const asked: ReturnType<typeof read>[] = [];
  await eventually(
    async () => asked.push(read()),
    (count) => count === 20,
  );
  const answers = await Promise.all(asked);
  const unavailable = answers.filter(({ status }) => status === 503);
  expect(unavailable).not.toEqual([]);
  for (const answer of unavailable) {
    expectProblem(answer, 'service_unavailable');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  const back = await eventually(read, ({ status }) => status === 200);
  expect(back.body.id).toBe(id);
});

test('an acknowledged appointment is stored and synced after a kill of every process and server', async () => {
  await admin(['calendar', 'connect', '--store', store.id, '--provider', 'feed']);
  const body = { title: 'Survives', scheduled_at: daysAhead(3).toISOString() };
  const headers = { 'idempotency-key': randomUUID() };
  const create = () => request('POST', '/appointments', { key: store.key, body, headers });
  const created = await eventually(create, ({ status }) => status === 201);
  for (const { pid } of processes()) process.kill(pid, 'SIGKILL');

  const ask = (path: string) => request('GET', path, { key: store.key }).catch(() => undefined);
  const found = await eventually(
    () => ask(`/appointments/${created.body.id}`),
    (answer) => answer?.status === 200,
  );
  expect(found?.body).toEqual(created.body);
  const replayed = await eventually(create, ({ status }) => status === 201);
  expect([replayed.text, replayed.headers.get('idempotent-replay')]).toEqual([created.text, 'true']);
  // The lease of a wake-up that the killed relay had claimed ends within 30 s.
  await eventually(
    () => ask(`/appointments/${created.body.id}/calendar-sync`),
    (answer) => answer?.body.state === 'synced',
  );
});
