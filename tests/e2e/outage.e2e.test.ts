import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { admin, daysAhead, eventually, newStore, request } from './platform.ts';
import { expectProblem } from './problem.ts';

const { localDirectory, requestTimeoutMs } = inject('platform');
let store: Awaited<ReturnType<typeof newStore>>;

beforeAll(async () => {
  store = await newStore();
});

/** The processes that the platform runs at this moment, by name. */
const processes = (): { name: string; pid: number }[] =>
  JSON.parse(readFileSync(join(localDirectory, 'children.json'), 'utf8'));

const signal = (name: string, what: NodeJS.Signals) => {
  const found = processes().find((candidate) => candidate.name === name);
  if (!found) throw new Error(`${name} does not run`);
  process.kill(found.pid, what);
};

const createLead = (phone: string, headers: Record<string, string> = {}) =>
  request('POST', '/leads', { key: store.key, body: { name: 'Ana', customer_phone: phone }, headers });

test('a service that hangs is answered as an unknown outcome, and the key makes sending again safe', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  signal('crm', 'SIGSTOP');
  const startedAt = Date.now();
  try {
    expectProblem(await createLead('5511900000020', headers), 'upstream_timeout');
    expect(Date.now() - startedAt).toBeLessThan(requestTimeoutMs + 2_000);
  } finally {
    signal('crm', 'SIGCONT');
  }
  const again = await eventually(
    () => createLead('5511900000020', headers),
    ({ status }) => status === 201,
  );
  expect(again.body.customer_phone).toBe('5511900000020');
});

test('a service that is gone is answered as unavailable until it is back', async () => {
  const { id } = (await createLead('5511900000021')).body;
  const read = () => request('GET', `/leads/${id}`, { key: store.key });
  signal('crm', 'SIGKILL');
  // Asked again and again without waiting for answers: one that had just been handed to the service hears nothing.
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

test('what was acknowledged is there, and goes on, after every process and server was killed', async () => {
  await admin(['calendar', 'connect', '--store', store.id, '--provider', 'feed']);
  const body = { title: 'Survives', scheduled_at: daysAhead(3).toISOString() };
  const headers = { 'idempotency-key': randomUUID() };
  const create = () => request('POST', '/appointments', { key: store.key, body, headers });
  const created = await create();
  expect(created.status).toBe(201);
  for (const { pid } of processes()) process.kill(pid, 'SIGKILL');

  const ask = (path: string) => request('GET', path, { key: store.key }).catch(() => undefined);
  const found = await eventually(
    () => ask(`/appointments/${created.body.id}`),
    (answer) => answer?.status === 200,
    40_000,
  );
  expect(found?.body).toEqual(created.body);
  const replayed = await create();
  expect([replayed.text, replayed.headers.get('idempotent-replay')]).toEqual([created.text, 'true']);
  // A wake-up that a relay had just taken is free again when its lease ends, half a minute later at most.
  await eventually(
    () => ask(`/appointments/${created.body.id}/calendar-sync`),
    (answer) => answer?.body.state === 'synced',
    70_000,
  );
});
