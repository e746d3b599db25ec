import { beforeAll, expect, test } from 'vitest';
import { admin, eventually, newStore, request, runAdmin, runAdminHere } from './platform.ts';
import { expectProblem } from './problem.ts';

let store: Awaited<ReturnType<typeof newStore>>;
const whoAmI = (key: string) => request('GET', '/store', { key });

beforeAll(async () => {
  store = await newStore();
});

test('a store can be created, changed and listed, and the API enforces its tier within 2 s', async () => {
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
      ({ status }) => status !== 200,
    ),
    'invalid_api_key',
  );
  expect((await whoAmI(now.api_key)).status).toBe(200);
});

test('a revoked key is rejected within 2 s, and the list shows its state but no secret', async () => {
  const made = await admin(['key', 'create', '--store', store.id, '--name', 'Revoked']);
  await whoAmI(made.api_key);
  await admin(['key', 'revoke', '--key', made.key.id]);
  expectProblem(
    await eventually(
      () => whoAmI(made.api_key),
      ({ status }) => status !== 200,
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
