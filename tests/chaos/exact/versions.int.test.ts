import { setTimeout as pause } from 'node:timers/promises';
import { createAppointment as operation } from '@mostrador/contracts';
import { createRpcClient } from '@mostrador/kit/rpc/client';
import { createRpcServer } from '@mostrador/kit/rpc/server';
import { silentLog, testContext } from '@mostrador/testing/context';
import { startTestNats, type TestNats } from '@mostrador/testing/servers/nats';
import { waitFor } from '@mostrador/testing/wait';
import { Type } from '@sinclair/typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Creation, everywhere, newCreation, oneRow, settled } from './creation.ts';
import { type ProcessName, type Stage, type Store, startStage } from './stage.ts';

/** A client's pause between requests. Every appointment must reach the calendar before the test's timeout. */
const pauseMs = 500;

/** The next version of the operation: an optional member more in the request, and a member more in the reply. */
const { body } = operation.request;
const nextOperation = {
  ...operation,
  request: {
    body: Type.Object({ ...body.properties, room: Type.Optional(Type.String()) }, { additionalProperties: false }),
  },
  reply: Type.Object({ ...operation.reply.properties, room: Type.String() }),
};

describe('a contract with new members', () => {
  let nats: TestNats;
  const log = silentLog();
  const request = { title: 'Corte', scheduled_at: '2027-01-31T09:00:00.000Z' };
  const appointment = {
    ...request,
    id: '0198c1f4-5f5e-7c3a-9d0b-1f2e3d4c5b6a',
    store_id: '0198c1f4-5f5e-7c3a-9d0b-1f2e3d4c5b6b',
    lead_id: null,
    duration_minutes: 60,
    status: 'scheduled' as const,
    notes: null,
    metadata: {},
    created_at: request.scheduled_at,
    updated_at: request.scheduled_at,
  };
  const serveOld = () =>
    createRpcServer({
      nats: nats.nats,
      service: 'scheduling',
      operations: { operation },
      handlers: { operation: async () => appointment },
      log,
    });
  const serveNew = () =>
    createRpcServer({
      nats: nats.nats,
      service: 'scheduling',
      operations: { nextOperation },
      handlers: { nextOperation: async () => ({ ...appointment, room: 'any' }) },
      log,
    });

  beforeAll(async () => {
    nats = await startTestNats();
  });
  afterAll(() => nats?.stop());

  test('an old and a new service in one queue group both answer old and new callers', async () => {
    const servers = [serveOld(), serveNew()];
    const rpc = createRpcClient({ nats: nats.nats, log });
    const asOld = () => rpc.call(operation, { body: request }, testContext());
    const asNew = () => rpc.call(nextOperation, { body: request }, testContext());
    const answers = await Promise.all([...Array.from({ length: 20 }, asOld), ...Array.from({ length: 20 }, asNew)]);
    // A caller ignores unknown members of a reply, and accepts that an old service omits new ones.
    for (const answer of answers) expect(answer).toMatchObject(appointment);
    const rooms = answers.map((answer) => ('room' in answer ? answer.room : undefined));
    expect(new Set(rooms)).toEqual(new Set(['any', undefined]));
    await Promise.all(servers.map((server) => server.drain()));
  });

  test('an old service rejects an unknown member of a request and names it', async () => {
    const server = serveOld();
    const rpc = createRpcClient({ nats: nats.nats, log });
    const sent = rpc.call(nextOperation, { body: { ...request, room: 'b' } }, testContext());
    await expect(sent).rejects.toMatchObject({
      code: 'validation_failed',
      members: { errors: [{ pointer: '#/room' }] },
    });
    await server.drain();
  });
});

describe('two instances of every process on one database', () => {
  const twins: [ProcessName, ProcessName][] = [
    ['scheduling', 'scheduling-2'],
    ['workflows', 'workflows-2'],
    ['gateway', 'gateway-2'],
  ];
  let stage: Stage;
  let store: Store;

  beforeAll(async () => {
    stage = await startStage({ processes: ['crm', ...twins.flat()], requestTimeoutMs: 30_000 });
    store = await stage.newStore();
  });
  afterAll(() => stage?.stop());

  test('are replaced one by one under load: every request succeeds, and each appointment has one event', async () => {
    const made: { creation: Creation; answer: Answer }[] = [];
    // The gateways that get requests. A load balancer removes a gateway and waits for its answers before it stops.
    // Otherwise a request on a persistent connection can meet the close of that connection (RFC 9112, section 9.5).
    let open: readonly ProcessName[] = ['gateway', 'gateway-2'];
    const waitsFor: (ProcessName | undefined)[] = [];
    const load = { on: true };
    const client = async (number: number) => {
      while (load.on) {
        const creation = newCreation(stage, store);
        const gateway = open[number % open.length];
        waitsFor[number] = gateway;
        made.push({ creation, answer: await creation.send(gateway) });
        waitsFor[number] = undefined;
        await pause(pauseMs);
      }
    };
    const clients = [0, 1].map(client);
    for (const name of twins.flat()) {
      if (name.startsWith('gateway')) {
        open = open.filter((gateway) => gateway !== name);
        await waitFor(async () => !waitsFor.includes(name), { description: 'the gateway has answered' });
      }
      await stage.replace(name);
      if (name.startsWith('gateway')) open = [...open, name];
    }
    await waitFor(() => made.length > 20, { description: 'a fast machine has had some load, too' });
    load.on = false;
    await Promise.all(clients);
    expect(made.filter(({ answer }) => answer.status !== 201)).toEqual([]);
    await settled(stage);
    const { inCalendar, published } = await everywhere(stage);
    for (const { creation } of made) {
      const id = await oneRow(stage, creation);
      expect([inCalendar(creation), published(id)]).toEqual([1, 1]);
    }
  });
});
