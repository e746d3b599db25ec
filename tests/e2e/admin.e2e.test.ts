import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { admin, eventually, newStore, request, runAdmin, runAdminHere } from './platform.ts';
import { expectProblem } from './problem.ts';

let store: Awaited<ReturnType<typeof newStore>>;
const whoAmI = (key: string) => request('GET', '/store', { key });

beforeAll(async () => {
  store = await newStore();
});

/** A busy machine is late at times. A gateway that does not know a change in time is so each time. */
const unlessBusy = { retry: 4 };

test('a store can be created, changed and listed, and the API enforces its tier within 2 s', unlessBusy, async () => {
  const created = await admin([
    ...['store', 'create', '--name', 'Ótica Central', '--timezone', 'America/Sao_Paulo', '--locale', 'pt-BR'],
  ]);
  expect(created).toMatchObject({
    tier: 'free',
    timezone: 'America/Sao_Paulo',
    locale: 'pt-BR',
    requests_per_minute: 60,
  });
  const { api_key: key } = await admin(['key', 'create', '--store', created.id, '--name', 'Site']);
  const book = () =>
    request('POST', '/appointments', { key, body: { title: 'Exame', scheduled_at: '2027-01-31T09:00:00Z' } });
  expectProblem(await book(), 'tier_required');
  await admin(['store', 'update', '--store', created.id, '--tier', 'starter', '--name', 'Ótica Sul']);
  await eventually(book, ({ status }) => status === 201, 2_000);
  const { stores } = await admin(['store', 'list']);
  expect(stores.find(({ id }: { id: string }) => id === created.id)).toMatchObject({
    name: 'Ótica Sul',
    tier: 'starter',
  });
  expect((await runAdmin(['store', 'list'])).out).toContain('Ótica Sul');
});

test('a rotated key works next to its successor during the overlap, and then only the successor works', async () => {
  const old = await admin(['key', 'create', '--store', store.id, '--name', 'Rotated']);
  const now = await admin(['key', 'rotate', '--key', old.key.id, '--overlap', '10']);
  expect([(await whoAmI(old.api_key)).status, (await whoAmI(now.api_key)).status]).toEqual([200, 200]);
  expectProblem(
    await eventually(
      () => whoAmI(old.api_key),
      ({ status }) => status === 401,
    ),
    'invalid_api_key',
  );
  expect((await whoAmI(now.api_key)).status).toBe(200);
});

test('a revoked key is rejected within 2 s, and the list shows its state but no secret', unlessBusy, async () => {
  const made = await admin(['key', 'create', '--store', store.id, '--name', 'Revoked']);
  await whoAmI(made.api_key);
  await admin(['key', 'revoke', '--key', made.key.id]);
  expectProblem(
    await eventually(
      () => whoAmI(made.api_key),
      ({ status }) => status === 401,
      2_000,
    ),
    'invalid_api_key',
  );
  const listed = await runAdminHere(['key', 'list', '--store', store.id]);
  expect(listed.out).toMatch(new RegExp(`${made.key.id} +Revoked +revoked`));
  expect(listed.out).not.toContain(made.api_key.split('_').at(-1));
});

test('calendar show follows connect and disconnect', async () => {
  const show = () => admin(['calendar', 'show', '--store', store.id]);
  expect(await show()).toMatchObject({ provider: null, status: 'not_connected' });
  await admin(['calendar', 'connect', '--store', store.id, '--provider', 'feed']);
  expect(await show()).toMatchObject({ provider: 'feed', status: 'connected' });
  expect((await whoAmI(store.key)).body.calendar).toEqual({ provider: 'feed', status: 'connected', reason: null });
  await admin(['calendar', 'disconnect', '--store', store.id]);
  expect(await show()).toMatchObject({ provider: null, status: 'not_connected' });
  const again = await runAdminHere(['calendar', 'disconnect', '--store', store.id]);
  expect([again.exitCode, again.err]).toEqual([1, expect.stringContaining('(calendar_not_connected)')]);
});

test('booking is set up by commands alone: rules, a seller with hours, a service, and then a time is taken once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mostrador-e2e-'));
  const fileOf = async (name: string, content: object) => {
    await writeFile(join(folder, name), JSON.stringify(content));
    return join(folder, name);
  };
  try {
    const { id, key } = await newStore({ arguments: ['--timezone', 'UTC'] });
    const ana = await request('POST', '/sellers', { key, body: { name: 'Ana', whatsapp_id: '+5531977776666' } });
    const every = [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, from: '08:00', to: '12:00' }));
    const rules = await fileOf('rules.json', { overlap: 'reject', capacity: 0 });
    await admin(['booking', 'set', rules, '--store', id]);
    // What is shown can be set again.
    const shown = await admin(['booking', 'show', '--store', id]);
    expect(await admin(['booking', 'set', await fileOf('shown.json', shown), '--store', id])).toEqual(shown);
    const hours = ['--bookable', 'on', '--hours', await fileOf('hours.json', every)];
    await admin(['seller', 'update', '--store', id, '--seller', ana.body.id, ...hours]);
    expect((await admin(['seller', 'list', '--store', id])).sellers).toMatchObject([{ bookable: true, hours: every }]);
    const made = await admin([
      ...['service', 'create', '--store', id, '--name', 'Eye test', '--minutes', '30', '--sellers', ana.body.id],
    ]);
    const day = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
    const book = (time: string) => {
      const body = { title: 'Exame', scheduled_at: `${day}T${time}:00Z`, service_id: made.id };
      return request('POST', '/appointments', { key, body });
    };
    expectProblem(await book('13:00'), 'outside_opening_hours');
    expect((await book('09:00')).body).toMatchObject({ seller_id: ana.body.id, duration_minutes: 30 });
    expectProblem(await book('09:00'), 'appointment_conflict');
    await admin(['service', 'update', '--store', id, '--service', made.id, '--minutes', '60']);
    expect((await book('10:00')).body).toMatchObject({ duration_minutes: 60 });
    expect((await admin(['service', 'list', '--store', id])).services).toMatchObject([{ duration_minutes: 60 }]);
    await admin(['service', 'delete', '--store', id, '--service', made.id]);
    const gone = await runAdminHere(['service', 'show', '--store', id, '--service', made.id]);
    expect([gone.exitCode, gone.err]).toEqual([1, expect.stringContaining('(service_not_found)')]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('a command for an unknown store fails with store_not_found', async () => {
  const nobody = '00000000-0000-7000-8000-000000000000';
  for (const command of [
    ['store', 'update', '--name', 'Nobody'],
    ['key', 'create', '--name', 'Nobody'],
    ['calendar', 'connect', '--provider', 'feed'],
  ]) {
    const answer = await runAdminHere([...command, '--store', nobody]);
    expect([answer.exitCode, answer.err], command.join(' ')).toEqual([1, expect.stringContaining('(store_not_found)')]);
  }
});
