import { randomUUID } from 'node:crypto';
import {
  connectCalendar,
  getCalendarConnection,
  getCalendarSync,
  schedulingOperations,
  showCalendar,
  syncCalendarEvent,
} from '@mostrador/contracts';
import { createProviderCircuit } from '@mostrador/kit/resilience/provider-circuit';
import { createRpcServer, type RpcServer } from '@mostrador/kit/rpc/server';
import { silentLog, testContext } from '@mostrador/testing/context';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startScheduling, type TestScheduling } from '../../test/scheduling.ts';
import { pausedStep, type ScriptedCalendar, scriptedCalendar } from '../../test/scripted-calendar.ts';
import { calendarCircuit } from '../calendars/calendar-circuit.ts';
import { CalendarError } from '../calendars/calendar-provider.ts';
import { createHandlers } from '../handlers.ts';

let scheduling: TestScheduling;
let second: RpcServer;
let calendar: ScriptedCalendar;
let storeId: string;
let origin: string;
beforeAll(async () => {
  scheduling = await startScheduling({ openProvider: (connection) => calendar.open(connection) });
  const { nats, dependencies } = scheduling;
  const log = silentLog();
  // A second instance on the same database. NATS gives each step to one of the two.
  second = createRpcServer({
    nats: nats.nats,
    service: 'scheduling',
    operations: schedulingOperations,
    handlers: createHandlers({
      ...dependencies,
      circuit: createProviderCircuit(calendarCircuit, { ...dependencies, log }),
    }),
    log,
  });
  await nats.nats.flush();
});
beforeEach(async () => {
  calendar = scriptedCalendar();
  storeId = randomUUID();
  origin = `https://${storeId}.example.com`;
  await connect();
});
afterAll(async () => {
  await second?.drain();
  await scheduling?.stop();
});

const connect = () =>
  scheduling.rpc.call(
    connectCalendar,
    { body: { provider: 'caldav', url: `${origin}/store/` } },
    testContext({ storeId }),
  );
const step = (appointment_id: string) =>
  scheduling.rpc.call(syncCalendarEvent, { body: { appointment_id } }, testContext({ storeId }));
const read = (appointmentId: string) =>
  scheduling.rpc.call(getCalendarSync, { params: { appointmentId } }, testContext({ storeId }));
const statuses = () =>
  Promise.all(
    [getCalendarConnection, showCalendar].map((operation) =>
      scheduling.rpc.call(operation, {}, testContext({ storeId })),
    ),
  );
const putIds = () => calendar.calls.filter(({ verb }) => verb === 'put').length;
const makeAllDue = () => scheduling.adminSql`
  update calendar_syncs set next_attempt_at = now() - interval '1 second' where store_id = ${storeId} and state = 'pending'`;
const fail = () => {
  throw new CalendarError('unavailable', 'calendar_unreachable', 'dav.example.com refused 10.0.0.1', { outage: true });
};

test('appointments that wait for a calendar that is down say why, since when and until when, and so does the store', async () => {
  const appointments: string[] = [];
  for (let count = 0; count < 20; count += 1) appointments.push((await scheduling.create(storeId)).id);
  calendar.always(fail);
  for (const id of appointments) await step(id);
  for (let round = 0; round < 2; round += 1) {
    await makeAllDue();
    for (const id of appointments) await step(id);
  }
  // Each process counts what it learns within a second: five outages in all, whichever process had them.
  expect(putIds()).toBeLessThanOrEqual(6);
  const waiting = await read(appointments.at(-1) as string);
  expect(waiting).toMatchObject({
    state: 'pending',
    attempts: 0,
    last_error: null,
    reason: { code: 'provider_unavailable', detail: expect.any(String), since: expect.stringMatching(/Z$/) },
    next_attempt_at: expect.stringMatching(/Z$/),
  });
  const degraded = {
    provider: 'caldav',
    status: 'degraded',
    reason: { code: 'provider_unavailable', since: expect.stringMatching(/Z$/) },
  };
  for (const shown of await statuses()) {
    expect(shown).toMatchObject(degraded);
    expect(JSON.stringify(shown.reason) + JSON.stringify(waiting)).not.toMatch(/example\.com|10\.0\.0\.1/);
  }

  calendar.always(undefined);
  await scheduling.adminSql`update provider_circuits set open_until = clock_timestamp() where origin = ${origin}`;
  const allSynced = async () => {
    await makeAllDue();
    for (const id of appointments) await step(id);
    return (await Promise.all(appointments.map(read))).every(({ state }) => state === 'synced');
  };
  await waitFor(allSynced, { description: 'all appointments to be synced' });
  expect(await read(appointments.at(-1) as string)).toMatchObject({ reason: null, next_attempt_at: null });
  for (const shown of await statuses()) expect(shown).toMatchObject({ status: 'connected', reason: null });
});

const openCircuit = () => scheduling.adminSql`
  insert into provider_circuits (origin, failures, open_until, since)
  values (${origin}, 5, now() + interval '1 hour', now())`;
const circuits = () => scheduling.adminSql`select failures from provider_circuits where origin = ${origin}`;

test('a calendar that passes the check of a new connection is called again at once, by every process', async () => {
  await openCircuit();
  const appointments: string[] = [];
  for (let count = 0; count < 20; count += 1) appointments.push((await scheduling.create(storeId)).id);
  for (const id of appointments) expect(await step(id)).toMatchObject({ done: false });
  expect(await statuses()).toMatchObject([{ status: 'degraded' }, { status: 'degraded' }]);

  await connect();
  expect(await statuses()).toMatchObject([{ status: 'connected' }, { status: 'connected' }]);
  for (const id of appointments) expect(await step(id)).toMatchObject({ done: true });
});

test.each(['unavailable', 'refused'] as const)(
  'a check that fails (%s) neither closes the circuit of the calendar nor counts against it',
  async (kind) => {
    await openCircuit();
    calendar.always(() => {
      throw new CalendarError(kind, 'some_code', 'What it answered.', kind === 'refused' ? {} : { outage: true });
    });
    await expect(connect()).rejects.toMatchObject({ code: 'calendar_refused' });
    expect(await circuits()).toEqual([{ failures: 5 }]);
    await scheduling.adminSql`delete from provider_circuits where origin = ${origin}`;
    await expect(connect()).rejects.toMatchObject({ code: 'calendar_refused' });
    expect(await circuits()).toEqual([]);
  },
);

test('one store’s calendar that is down does not hold back the calendar of another store', async () => {
  const { id } = await scheduling.create(storeId);
  await scheduling.adminSql`
    insert into provider_circuits (origin, failures, open_until, since)
    values ('https://other.example.com', 5, now() + interval '1 hour', now())`;
  expect(await step(id)).toMatchObject({ done: true });
  for (const shown of await statuses()) expect(shown).toMatchObject({ status: 'connected', reason: null });
});

test('an appointment that waits for its turn at a busy calendar says so', async () => {
  const appointments: string[] = [];
  for (let count = 0; count < 9; count += 1) appointments.push((await scheduling.create(storeId)).id);
  const paused = pausedStep();
  calendar.always(paused.step);
  // Each of the two processes makes four calls at once.
  const running = Promise.all(appointments.map(step));
  const held = await waitFor(
    async () => (await Promise.all(appointments.map(read))).find(({ reason }) => reason !== null),
    { description: 'an appointment to wait' },
  );
  expect(held).toMatchObject({ state: 'pending', attempts: 0, reason: { code: 'provider_busy' } });
  expect(await statuses()).toMatchObject([{ status: 'connected' }, { status: 'connected' }]);
  paused.end();
  await running;
});
