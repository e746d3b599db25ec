import {
  changeMessagingSettings,
  changeSchedulingSettings,
  getMessagingSettings,
  getSchedulingSettings,
  getStoreOptions,
  replanFollowups,
  type SendingWindows,
  updateStoreOptions,
} from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { accountsForFile } from '../../test/accounts.ts';
import { client, createPeople } from '../../test/people.ts';

const accounts = accountsForFile();
const people = createPeople(accounts);
/** What the other services got: the store, and what to change. */
let changed: [string, object][] = [];
let replanned: string[] = [];
let schedulingFails = false;

const ofMessaging = { message_wait_seconds: 5, session_idle_hours: 24, opt_out_stops_api: false };
/** What the operator sets, and people do not see. */
const ofOperator = { ai_pause_minutes: 720, api_pauses_ai: false };
const ofScheduling: { sending_windows: SendingWindows; calendar_customer: boolean } = {
  ...{ sending_windows: [], calendar_customer: false },
};

beforeAll(async () => {
  await accounts.serve(
    'messaging',
    { getMessagingSettings, changeMessagingSettings },
    {
      getMessagingSettings: async () => ({ ...ofMessaging, ...ofOperator }),
      changeMessagingSettings: async ({ storeId }, { body }) => {
        changed.push([storeId, body]);
        return { ...ofMessaging, ...ofOperator, ...body };
      },
    },
  );
  await accounts.serve(
    'scheduling',
    { getSchedulingSettings, changeSchedulingSettings, replanFollowups },
    {
      getSchedulingSettings: async () => ofScheduling,
      changeSchedulingSettings: async ({ storeId }, { body }) => {
        if (schedulingFails) throw new AppError('service_unavailable');
        changed.push([storeId, body]);
        return { ...ofScheduling, ...body };
      },
      replanFollowups: async ({ storeId }) => {
        replanned.push(storeId);
        return { done: true };
      },
    },
  );
});
beforeEach(() => {
  changed = [];
  replanned = [];
  schedulingFails = false;
});

const defaults = { name: 'Ótica', timezone: 'UTC', locale: 'en', country: null, ...ofMessaging, ...ofScheduling };
const change = (token: string | undefined, body: object) => people.ask(updateStoreOptions, { body }, token);
const windows: SendingWindows = [{ weekdays: ['monday'], from: '09:00', to: '24:00' }];

test('an owner reads and changes the settings of their store, which three services have', async () => {
  const { token, store, userId } = await people.signedIn();
  expect(await people.ask(getStoreOptions, {}, token)).toEqual(defaults);
  const body = { name: 'Ótica Sul', timezone: 'America/Sao_Paulo', session_idle_hours: 2, sending_windows: windows };
  expect(await change(token, body)).toEqual({ ...defaults, ...body, country: 'BR' });
  expect(changed).toEqual(
    expect.arrayContaining([
      [store, { session_idle_hours: 2 }],
      [store, { sending_windows: windows }],
    ]),
  );
  expect(replanned).toEqual([store]);
  const entry = { actor_kind: 'user', actor_id: userId, action: 'store.changed', subject_id: store };
  expect(await people.auditOf(store)).toContainEqual({ ...entry, address: client.address });
});

test('only the services whose part is given are asked to change it', async () => {
  const { token, store } = await people.signedIn();
  await change(token, { name: 'Ótica Norte' });
  expect([changed, replanned]).toEqual([[], []]);
  await change(token, { calendar_customer: true });
  expect(changed).toEqual([[store, { calendar_customer: true }]]);
});

test('a failure of a service is reported, and the same request completes the change', async () => {
  const { token } = await people.signedIn();
  schedulingFails = true;
  const body = { name: 'Ótica Leste', calendar_customer: true };
  await expect(change(token, body)).rejects.toMatchObject({ code: 'service_unavailable' });
  schedulingFails = false;
  expect(await change(token, body)).toMatchObject(body);
});

test.each([
  [{}],
  [{ tier: 'enterprise' }],
  [{ rate_limit: 9 }],
  [{ name: ' ' }],
  [{ timezone: 'Mars/Olympus' }],
  [{ country: 'XX' }],
  [{ message_wait_seconds: 9 }],
  [{ sending_windows: [{ weekdays: ['monday'], from: '18:00', to: '09:00' }] }],
  [{ sending_windows: [{ weekdays: [], from: '09:00', to: '18:00' }] }],
])('%j is rejected before any service changes something', async (body) => {
  const { token, store } = await people.signedIn();
  await expect(
    change(token, { name: 'New', ...body, ...(Object.keys(body).length ? {} : { name: undefined }) }),
  ).rejects.toMatchObject({ code: 'validation_failed' });
  expect(changed).toEqual([]);
  expect((await people.auditOf(store)).map(({ action }) => action)).not.toContain('store.changed');
});

test('a manager reads the settings, a seller does not, and only an owner changes them', async () => {
  const { store } = await people.signedIn();
  const manager = await people.signedIn(store, undefined, 'manager');
  const seller = await people.signedIn(store, undefined, 'seller');
  expect(await people.ask(getStoreOptions, {}, manager.token)).toEqual(defaults);
  await expect(people.ask(getStoreOptions, {}, seller.token)).rejects.toMatchObject({ code: 'role_required' });
  for (const { token } of [manager, seller]) {
    await expect(change(token, { name: 'X' })).rejects.toMatchObject({ code: 'role_required' });
  }
  await expect(change(undefined, { name: 'X' })).rejects.toMatchObject({ code: 'invalid_session' });
  await expect(people.ask(getStoreOptions, {})).rejects.toMatchObject({ code: 'invalid_session' });
});
