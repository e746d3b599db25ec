import { randomUUID } from 'node:crypto';
import { connectChannel, deliverMessages, messagingOperations } from '@mostrador/contracts';
import { createProviderCircuit } from '@mostrador/kit/resilience/provider-circuit';
import { createRpcServer, type RpcServer } from '@mostrador/kit/rpc/server';
import { stoodStillDuring } from '@mostrador/testing/awake';
import { silentLog, testContext } from '@mostrador/testing/context';
import { startWhatsappServer, type WhatsappServer } from '@mostrador/testing/providers/whatsapp/server';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';
import { channelCircuit } from '../channels/channel-circuit.ts';
import { createHandlers } from '../handlers.ts';

const instances = 2;
const stores = 500;
/** Each instance has its calls in flight when the provider stops answering, and the first outages free some slots. */
const { callsPerOrigin, firstCallsPerOrigin } = channelCircuit;
const mostAttempts = instances * (callsPerOrigin + firstCallsPerOrigin) + 4;

let messaging: TestMessaging;
let second: RpcServer;
let whatsapp: WhatsappServer;
const waiting: { storeId: string; leadId: string }[] = [];

beforeAll(async () => {
  messaging = await startMessaging({ limits: { callLimitMs: 4_000, leaseMs: 60_000 } });
  const { nats, dependencies } = messaging;
  const log = silentLog();
  // The second instance: the same database, another process's circuit. NATS gives each step to one of the two.
  second = createRpcServer({
    nats: nats.nats,
    service: 'messaging',
    operations: messagingOperations,
    handlers: createHandlers({
      ...dependencies,
      circuit: createProviderCircuit(channelCircuit, { ...dependencies, log }),
    }),
    log,
  });
  whatsapp = await startWhatsappServer({ numberRate: 100_000 });
  await inBatches(
    Array.from({ length: stores }, (_, count) => String(5511700000000 + count)),
    queueMessage,
  );
});
afterAll(async () => {
  await second?.drain();
  await messaging?.stop();
  await whatsapp?.close();
});

const batch = 50;
async function inBatches<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < items.length; from += batch) await Promise.all(items.slice(from, from + batch).map(work));
}

/** A store with a number of its own and one queued message. */
async function queueMessage(phone: string): Promise<void> {
  const storeId = randomUUID();
  const { settings, apiUrl } = whatsapp;
  const secrets = { access_token: settings.accessToken, app_secret: settings.appSecret, verify_token: 'verify' };
  const body = {
    provider: 'whatsapp_cloud' as const,
    phone_number_id: settings.phoneNumberId,
    phone: settings.phone,
    api_url: apiUrl,
    secrets,
  };
  await messaging.rpc.call(connectChannel, { body }, testContext({ storeId }));
  const leadId = messaging.crm.addLead(storeId, phone);
  await whatsapp.customerWrites({ from: phone, text: 'Hi' });
  await messaging.adminSql`
    with settings as (insert into store_settings (store_id, message_wait_seconds) values (${storeId}, 0))
    insert into conversations (store_id, lead_id, last_inbound_at) values (${storeId}, ${leadId}, now())`;
  await messaging.send(storeId, leadId);
  waiting.push({ storeId, leadId });
}

/** Every lead's workflow runs a step. */
async function stepAll(): Promise<void> {
  await messaging.adminSql`update messages set next_attempt_at = now() - interval '1 second' where status = 'queued'`;
  await inBatches(waiting, ({ storeId, leadId }) =>
    messaging.rpc.call(deliverMessages, { body: { lead_id: leadId } }, testContext({ storeId })),
  );
}

async function stepUntil(description: string, condition: () => Promise<boolean>): Promise<void> {
  const stepped = async () => {
    await stepAll();
    return await condition();
  };
  await waitFor(stepped, { description });
}

/** A circuit that is open stays so, also when the machine stands still until its time is over. */
const stayOpen = () =>
  messaging.adminSql`
    update provider_circuits set open_until = clock_timestamp() + interval '1 hour'
    where open_until is not null`;

async function counts(): Promise<Record<string, number>> {
  const rows = await messaging.adminSql`
    select status || ' after ' || attempts as state, count(*)::int from messages
    where direction = 'outbound' group by 1`;
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

test('a provider that hangs costs a few attempts of all processes together, and the others wait untouched until one probe succeeds', async () => {
  whatsapp.always({ answer: 'hang', statuses: [] });
  await stepAll();
  await stayOpen();
  await stepAll();
  const attempts = whatsapp.requests();
  expect(attempts).toBeGreaterThan(0);
  expect(attempts).toBeLessThanOrEqual(mostAttempts);
  const hung = { 'unknown after 1': attempts, 'queued after 0': stores - attempts };
  expect(await counts()).toEqual(hung);

  // The provider hangs still: when the time has come, one call of all processes probes, and no other.
  const open = async () => await messaging.adminSql`update provider_circuits set open_until = clock_timestamp()`;
  await open();
  await stepUntil('a probe is made', async () => whatsapp.requests() > attempts);
  await stayOpen();
  await stepAll();
  expect(whatsapp.requests()).toBe(attempts + 1);

  // From here on every call is answered, also when the machine stands still.
  Object.assign(messaging.dependencies.limits, { callLimitMs: 20_000 });
  whatsapp.always({});
  whatsapp.next({ delayMs: 800 });
  await open();
  const stoodStill = await stoodStillDuring(() =>
    stepUntil('all are sent', async () => (await counts())['queued after 0'] === undefined),
  );
  const { 'unknown after 1': unknown = 0, 'sent after 1': sent = 0, ...others } = await counts();
  expect(others).toEqual({});
  expect(unknown + sent).toBe(stores);
  // A machine that stands still loses some answers.
  if (stoodStill) expect(unknown).toBeGreaterThanOrEqual(attempts + 1);
  else expect(unknown).toBe(attempts + 1);
  const [probe, ...later] = whatsapp.log.slice(attempts + 1);
  expect(later.every(({ atMs }) => atMs >= (probe?.atMs ?? 0) + 800)).toBe(true);
  expect(new Set(whatsapp.log.map(({ callbackData }) => callbackData)).size).toBe(stores);
  expect(whatsapp.requests()).toBe(stores);
  expect(await messaging.adminSql`select origin from provider_circuits`).toEqual([]);
});
