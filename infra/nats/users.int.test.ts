import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { type Child, createChildren, type ProcessSpec, untilReady } from '@mostrador/local-platform/children';
import { freePort } from '@mostrador/local-platform/ports';
import { natsPasswords, natsUrlOf } from '@mostrador/local-platform/secrets';
import { findNats, natsSpec } from '@mostrador/local-platform/servers/nats';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  accountsOperations,
  assistantOperations,
  crmOperations,
  type EventType,
  eventCatalogue,
  eventSubject,
  eventsOperations,
  gatewayOperations,
  messagingOperations,
  type Operation,
  schedulingOperations,
} from '../../packages/contracts/src/index.ts';
import { consumeEvents } from '../../packages/kit/src/outbox/events-consumer.ts';
import { connectNats, ensureEventStream, type NatsConnection } from '../../packages/kit/src/rpc/nats.ts';
import { type NatsUser, natsUsers } from '../../packages/platform/src/servers.ts';
import { silentLog } from '../../packages/testing/src/context.ts';
import { waitFor } from '../../packages/testing/src/wait.ts';
import { type Permissions, permissionsOf } from './users.ts';
import { usersConf } from './users-conf.ts';

const password = 'of this test';
const services = ['gateway', 'accounts', 'crm', 'scheduling', 'messaging', 'events', 'assistant'];
const operations = [
  accountsOperations,
  crmOperations,
  schedulingOperations,
  messagingOperations,
  eventsOperations,
  assistantOperations,
];
const subjects = operations.flatMap((each) => Object.values(each).map(({ subject }) => subject));
/** The gateway carries these out in its own process. */
const unserved = Object.values(gatewayOperations).map(({ subject }) => subject);

/** Repeated by hand, because a test that derives from the table could not notice a widened table. */
const ownerOf: Record<string, NatsUser> = { api: 'gateway', platform: 'gateway', step: 'workflows', admin: 'admin' };
const askers: Record<string, readonly NatsUser[]> = {
  'accounts.internal.keys.get': ['gateway'],
  'accounts.internal.keys.record-uses': ['gateway'],
  'accounts.internal.stores.settings': ['crm', 'scheduling', 'assistant'],
  'assistant.internal.texts.embed': ['crm'],
  'crm.admin.leads.finish-merge': ['messaging'],
  'crm.api.agents.create': ['admin'],
  'crm.api.agents.get': ['assistant'],
  'crm.api.agents.select': ['assistant'],
  'crm.api.agents.update': ['admin'],
  'crm.api.documents.save': ['admin'],
  'crm.api.knowledge.search': ['assistant'],
  'crm.internal.knowledge.embedder': ['assistant'],
  'crm.internal.knowledge.index': ['assistant'],
  'crm.api.leads.get': ['assistant'],
  'crm.api.leads.update': ['assistant'],
  'crm.api.sellers.list': ['admin'],
  'crm.api.sellers.update': ['admin'],
  'crm.internal.leads.check': ['gateway', 'scheduling'],
  'crm.internal.leads.contact': ['messaging'],
  'crm.internal.leads.contacts': ['scheduling', 'messaging'],
  'crm.internal.leads.ensure': ['messaging'],
  'crm.internal.leads.find': ['messaging'],
  'crm.internal.leads.move-phone': ['messaging'],
  'crm.internal.leads.release-phone': ['messaging'],
  'crm.internal.leads.name': ['messaging'],
  'crm.internal.leads.raise-interaction-counts': ['messaging'],
  'crm.internal.leads.save-ai-pauses': ['messaging'],
  'crm.internal.leads.save-opt-outs': ['messaging'],
  'crm.internal.leads.search': ['messaging'],
  'crm.internal.phones.known': ['gateway'],
  'crm.internal.reports.lead': ['gateway'],
  'crm.internal.reports.summary': ['gateway'],
  'crm.internal.sellers.check': ['accounts'],
  'crm.internal.sellers.find-booked': ['scheduling'],
  'crm.step.reports.close': ['admin'],
  'events.api.events.list': ['admin'],
  'events.api.webhook-endpoints.create': ['admin'],
  'events.api.webhook-endpoints.get': ['admin'],
  'events.api.webhook-endpoints.list': ['admin'],
  'events.api.webhook-endpoints.rotate': ['admin'],
  'events.api.webhook-replays.create': ['admin'],
  'events.api.webhook-replays.get': ['admin'],
  'events.internal.feed.append': ['crm', 'scheduling', 'messaging', 'assistant'],
  'events.internal.webhook-endpoints.of-person': ['accounts'],
  'events.internal.webhook-endpoints.pause-of-person': ['accounts'],
  'messaging.api.messages.get': ['scheduling', 'assistant'],
  'messaging.api.messages.list': ['scheduling', 'assistant'],
  'messaging.internal.channels.get': ['gateway'],
  'messaging.internal.conversations.change-phone': ['crm'],
  'messaging.internal.conversations.follow-lead': ['crm'],
  'messaging.internal.messages.accept': ['scheduling', 'assistant'],
  'messaging.internal.opt-outs.get': ['scheduling', 'assistant'],
  'messaging.internal.reports.lead': ['gateway'],
  'messaging.internal.reports.summary': ['gateway'],
  'messaging.internal.settings.change': ['accounts'],
  'messaging.internal.sessions.first-contact': ['crm'],
  'messaging.internal.settings.get': ['accounts', 'crm'],
  'messaging.internal.templates.check': ['scheduling'],
  'messaging.step.reports.close': ['admin'],
  'scheduling.admin.leads.merge': ['messaging'],
  'scheduling.api.appointments.create': ['assistant'],
  'scheduling.api.appointments.get': ['assistant'],
  'scheduling.api.appointments.list': ['assistant'],
  'scheduling.api.appointments.update': ['assistant'],
  'scheduling.api.availability.get': ['assistant'],
  'scheduling.api.booking-rules.get': ['crm', 'assistant', 'admin'],
  'scheduling.api.booking-rules.put': ['admin'],
  'scheduling.api.followups.create': ['assistant'],
  'scheduling.api.holds.release': ['assistant'],
  'scheduling.api.services.create': ['admin'],
  'scheduling.api.services.delete': ['admin'],
  'scheduling.api.services.get': ['assistant', 'admin'],
  'scheduling.api.services.list': ['assistant', 'admin'],
  'scheduling.api.services.update': ['admin'],
  'scheduling.internal.calendars.get': ['gateway'],
  'scheduling.internal.followups.replan': ['accounts'],
  'scheduling.internal.holds.create': ['assistant'],
  'scheduling.internal.reports.lead': ['gateway'],
  'scheduling.internal.reports.summary': ['gateway'],
  'scheduling.internal.settings.change': ['accounts'],
  'scheduling.internal.settings.get': ['accounts'],
  'scheduling.step.reports.close': ['admin'],
};
const withEvents: readonly string[] = ['crm', 'scheduling', 'messaging', 'assistant'];
const consumers = { scheduling: 'scheduling-followups', messaging: 'messaging-leads', assistant: 'assistant-turns' };
const jetStream: Record<string, readonly string[]> = {
  INFO: [...withEvents],
  'STREAM.INFO.EVENTS': [...withEvents],
  'STREAM.CREATE.EVENTS': [...withEvents],
  'STREAM.UPDATE.EVENTS': [...withEvents],
  ...Object.fromEntries(
    Object.entries(consumers).flatMap(([user, consumer]) =>
      ['DURABLE.CREATE', 'INFO', 'MSG.NEXT'].map((verb) => [`CONSUMER.${verb}.EVENTS.${consumer}`, [user]]),
    ),
  ),
  'STREAM.LIST': [],
  'STREAM.NAMES': [],
  'STREAM.CREATE.OTHER': [],
  'STREAM.DELETE.EVENTS': [],
  'STREAM.PURGE.EVENTS': [],
  'STREAM.MSG.GET.EVENTS': [],
  'STREAM.MSG.DELETE.EVENTS': [],
  'STREAM.SNAPSHOT.EVENTS': [],
  'DIRECT.GET.EVENTS': [],
  'CONSUMER.CREATE.EVENTS.other': [],
  'CONSUMER.DURABLE.CREATE.EVENTS.other': [],
  'CONSUMER.MSG.NEXT.EVENTS.other': [],
  ...Object.fromEntries(
    Object.values(consumers).flatMap((consumer) =>
      ['CREATE', 'DELETE'].map((verb) => [`CONSUMER.${verb}.EVENTS.${consumer}`, []]),
    ),
  ),
};

type Attempt = { readonly subject: string; readonly queue?: string; readonly by: readonly string[] };

/** The attempts that every user makes, and the users that must succeed. */
const publishing: Attempt[] = [
  ...subjects.map((subject) => {
    const owner = ownerOf[subject.split('.')[1] ?? ''];
    return { subject, by: [...(owner ? [owner] : []), ...(askers[subject] ?? [])] };
  }),
  ...unserved.map((subject) => ({ subject, by: [] })),
  ...(Object.keys(eventCatalogue) as EventType[]).map((type) => ({
    subject: eventSubject(type),
    by: [type.split('.')[0] ?? ''],
  })),
  { subject: 'processes.describe', by: ['admin'] },
  ...natsUsers.map((user) => ({ subject: `_INBOX_${user}.forged`, by: [] })),
  ...services.map((service) => ({
    subject: `${service}.notice.something`,
    by: ['accounts', 'messaging', 'events'].filter((user) => user === service),
  })),
  ...Object.entries(jetStream).map(([call, users]) => ({ subject: `$JS.API.${call}`, by: [...users, 'admin'] })),
  ...Object.entries(consumers).map(([user, consumer]) => ({
    subject: `$JS.ACK.EVENTS.${consumer}.1.1.1.1.1`,
    by: [user, 'admin'],
  })),
  { subject: '$JS.ACK.EVENTS.other.1.1.1.1.1', by: ['admin'] },
  { subject: '$SYS.REQ.USER.INFO', by: natsUsers },
  ...['$SYS.REQ.SERVER.PING', 'anything', 'anything.else', 'events.other.happened'].map((subject) => ({
    subject,
    by: [],
  })),
];
const subscribing: Attempt[] = [
  ...subjects.flatMap((subject) => {
    const service = subject.split('.')[0] ?? '';
    return [
      { subject, queue: service, by: [service] },
      // Outside the service's queue group, a subscriber would read a copy of every request.
      { subject, by: [] },
      { subject, queue: 'other', by: [] },
    ];
  }),
  ...unserved.flatMap((subject) => [
    { subject, queue: 'gateway', by: [] },
    { subject, by: [] },
  ]),
  ...natsUsers.map((user) => ({ subject: `_INBOX_${user}.>`, by: [user] })),
  ...['_INBOX.>', '>', '*', '*.api.>', 'events.>', '$JS.>', '$SYS.>', 'anything'].map((subject) => ({
    subject,
    by: [],
  })),
  { subject: 'gateway.notice.access-changed', by: [] },
  { subject: 'processes.describe', by: natsUsers.filter((user) => user !== 'admin') },
  { subject: 'accounts.notice.access-changed', by: ['gateway', 'accounts'] },
  { subject: 'messaging.notice.outcome', by: ['messaging'] },
  { subject: 'events.notice.appended', by: ['events', 'gateway'] },
];

/** Attempts with the wrong outcome, as text. Empty when every user has exactly its own permissions. */
async function wrongIn(server: string): Promise<string[]> {
  const wrong = await Promise.all(natsUsers.map((user) => wrongOf(user, server)));
  return wrong.flat();
}

async function wrongOf(user: NatsUser, server: string): Promise<string[]> {
  const nats = await connectAs(user, server);
  const refused = new Set<string>();
  const key = (verb: string, { subject, queue }: { subject: string; queue?: string }) =>
    `${user}: ${verb} ${subject}${queue ? ` as ${queue}` : ''}`;
  void (async () => {
    for await (const { permissionContext: context } of nats.status()) {
      if (context) refused.add(key(context.operation === 'publish' ? 'publish' : 'subscribe', context));
    }
  })();
  for (const { subject } of publishing) nats.publish(subject);
  for (const { subject, queue } of subscribing) nats.subscribe(subject, { queue, callback: () => {} });
  await nats.flush();
  await setImmediate();
  await nats.close();
  const wrongWith = (verb: string) => (attempt: Attempt) => {
    const passed = !refused.has(key(verb, attempt));
    return passed === attempt.by.includes(user) ? [] : [`${key(verb, attempt)} ${passed ? 'passed' : 'was rejected'}`];
  };
  return [...publishing.flatMap(wrongWith('publish')), ...subscribing.flatMap(wrongWith('subscribe'))];
}

const connectAs = (user: NatsUser, server: string): Promise<NatsConnection> =>
  connectNats({ url: natsUrlOf(user, server, password), name: user, log: silentLog() });

let binary: string;
beforeAll(async () => {
  binary = await findNats(process.env, () => {});
});

const running: { child: Child; folder: string }[] = [];
afterEach(async () => {
  for (const { child, folder } of running.splice(0)) {
    await child.stop(3000);
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Starts a server as `npm start` does, or with the text of another `users.conf`. */
async function startServer(conf?: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'mostrador-nats-'));
  const [port, monitorPort] = [await freePort(), await freePort()];
  let spec: ProcessSpec = natsSpec({
    binary,
    passwords: natsPasswords(password),
    storeDirectory: folder,
    port,
    monitorPort,
  });
  if (conf) {
    writeFileSync(join(folder, 'other.conf'), `jetstream: enabled\n${conf}`);
    spec = {
      ...spec,
      args: spec.args.map((arg) => (arg.endsWith('platform.conf') ? join(folder, 'other.conf') : arg)),
    };
  }
  const child = createChildren(join(folder, 'children.json')).start(spec);
  running.push({ child, folder });
  await untilReady(spec, child);
  return `nats://127.0.0.1:${port}`;
}

describe('NATS permissions', () => {
  test("a user cannot reach another user's requests, answers, events, queue or inbox", async () => {
    expect(await wrongIn(await startServer())).toEqual([]);
  });

  const widened: [string, NatsUser, Partial<Permissions>][] = [
    ['send requests to another service', 'workflows', { publish: ['crm.internal.leads.check'] }],
    ['send every request of an audience', 'crm', { publish: ['*.api.>'] }],
    ['send every internal request', 'scheduling', { publish: ['crm.internal.>'] }],
    ["use the command's operations", 'gateway', { publish: ['accounts.admin.>'] }],
    ['announce changes of keys', 'gateway', { publish: ['accounts.notice.>'] }],
    ["publish another's events", 'crm', { publish: ['events.>'] }],
    ['publish anything', 'messaging', { publish: ['>'] }],
    ['answer for another user', 'scheduling', { publish: ['_INBOX_gateway.>'] }],
    ["read another's answers", 'messaging', { subscribe: ['_INBOX_gateway.>'] }],
    ['read copies of requests', 'crm', { subscribe: ['crm.>'] }],
    ["take another service's requests", 'crm', { subscribe: ['scheduling.> scheduling'] }],
    ['read everything', 'workflows', { subscribe: ['>'] }],
    ['empty the event stream', 'messaging', { publish: ['$JS.API.STREAM.PURGE.EVENTS'] }],
    ['create consumers', 'scheduling', { publish: ['$JS.API.CONSUMER.>'] }],
    ['send requests to the server itself', 'gateway', { publish: ['$SYS.>'] }],
  ];
  test.each(widened)('the check notices a user that may also %s', async (_what, user, more) => {
    const permissions = (each: NatsUser): Permissions => {
      const { publish, subscribe, answers } = permissionsOf(each);
      if (each !== user) return { publish, subscribe, answers };
      return {
        publish: [...publish, ...(more.publish ?? [])],
        subscribe: [...subscribe, ...(more.subscribe ?? [])],
        answers,
      };
    };
    const wrong = await wrongOf(user, await startServer(usersConf(permissions)));
    expect(wrong.length).toBeGreaterThan(0);
    expect(wrong.every((line) => line.endsWith(' passed'))).toBe(true);
  });

  test('only the service that received a request can answer it, and only once', async () => {
    const server = await startServer();
    const [asking, serving] = [await connectAs('scheduling', server), await connectAs('crm', server)];
    const refused: string[] = [];
    void (async () => {
      for await (const { permissionContext } of serving.status()) refused.push(permissionContext?.operation ?? '');
    })();
    serving.subscribe('crm.internal.leads.check', {
      queue: 'crm',
      callback: (_error, message) => {
        message.respond('first');
        message.respond('second');
      },
    });
    await serving.flush();
    const answer = await asking.request('crm.internal.leads.check', '', { timeout: 30_000 });
    expect(answer.string()).toBe('first');
    await waitFor(() => refused.includes('publish'), { description: 'the second answer is rejected' });
    await Promise.all([asking.close(), serving.close()]);
  });

  test('every process answers the operator’s roll call, also those that serve no requests', async () => {
    const server = await startServer();
    const processes = natsUsers.filter((user) => user !== 'admin');
    const serving = await Promise.all(processes.map((user) => connectAs(user, server)));
    for (const [index, nats] of serving.entries()) {
      nats.subscribe('processes.describe', { callback: (_error, message) => message.respond(processes[index]) });
      await nats.flush();
    }
    const operator = await connectAs('admin', server);
    const answers: string[] = [];
    const inbox = '_INBOX_admin.roll-call';
    operator.subscribe(inbox, { callback: (_error, message) => void answers.push(message.string()) });
    operator.publish('processes.describe', '', { reply: inbox });
    await waitFor(() => answers.length === processes.length, { description: 'all of them answer' });
    expect(answers.sort()).toEqual([...processes].sort());
    await Promise.all([operator, ...serving].map((nats) => nats.close()));
  });

  test('the gateway’s user reaches no operation that creates or changes a key or a store', async () => {
    const server = await startServer();
    const [attacker, serving] = [await connectAs('gateway', server), await connectAs('accounts', server)];
    const arrived: string[] = [];
    const changing = (Object.values(accountsOperations) as Operation[]).filter(({ subject }) =>
      subject.includes('.admin.'),
    );
    for (const { subject } of changing) {
      serving.subscribe(subject, { queue: 'accounts', callback: () => void arrived.push(subject) });
    }
    const allowed = 'accounts.internal.keys.record-uses';
    serving.subscribe(allowed, { queue: 'accounts', callback: () => void arrived.push(allowed) });
    await serving.flush();
    expect(changing.map(({ subject }) => subject)).toContain('accounts.admin.keys.create');
    for (const { subject } of changing) attacker.publish(subject, '{}');
    attacker.publish(allowed, '{}');
    await waitFor(() => arrived.includes(allowed), { description: 'the last one arrives' });
    expect(arrived).toEqual([allowed]);
    await Promise.all([attacker.close(), serving.close()]);
  });

  test('the user of a consumer may change its settings', async () => {
    const nats = await connectAs('scheduling', await startServer());
    await ensureEventStream(nats);
    const manager = await nats.jetstreamManager();
    const name = consumers.scheduling;
    for (const mostDeliveries of [3, 7]) {
      const types = ['messaging.lead.opted_out'] as const;
      const handling = consumeEvents({
        nats,
        log: silentLog(),
        name,
        types,
        handle: async () => {},
        mostDeliveries,
      });
      handling.start();
      const set = async () => (await manager.consumers.info('EVENTS', name)).config.max_deliver === mostDeliveries;
      await waitFor(set, { description: 'the consumer has the setting' });
      await handling.stop();
    }
    await nats.close();
  });

  test('the server rejects a wrong or missing password', async () => {
    const { port } = new URL(await startServer());
    const answerTo = async (options: object) => {
      const socket = connect({ host: '127.0.0.1', port: Number(port) });
      socket.write(`CONNECT ${JSON.stringify({ verbose: false, ...options })}\r\nPING\r\n`);
      const heard = await text(socket);
      return heard.split('\r\n').slice(1).join(' ');
    };
    for (const options of [{}, { user: 'crm' }, { user: 'crm', pass: 'wrong' }, { user: 'nobody', pass: password }]) {
      expect(await answerTo(options)).toMatch(/^-ERR 'Authorization Violation'/);
    }
  });

  test('no stream or consumer can store or deliver a request, even for the user that manages streams', async () => {
    const server = await startServer();
    const [keeper, asking, serving] = [
      await connectAs('admin', server),
      await connectAs('scheduling', server),
      await connectAs('crm', server),
    ];
    const subject = 'crm.internal.leads.check';
    const received: string[] = [];
    serving.subscribe(subject, {
      queue: 'crm',
      callback: (_error, message) => {
        received.push(message.string());
        message.respond();
      },
    });
    await serving.flush();
    await ensureEventStream(serving);
    const { streams, consumers } = await keeper.jetstreamManager();
    await streams.add({ name: 'CATCH', subjects: ['crm.internal.>'] });
    await consumers.add('EVENTS', { durable_name: 'smuggler', deliver_subject: subject });
    await serving.jetstream().publish('events.crm.lead.created', 'smuggled');
    await asking.request(subject, 'asked', { timeout: 30_000 });
    expect((await streams.info('CATCH')).state.messages).toBe(0);
    expect(received).toEqual(['asked']);
    await Promise.all([keeper.close(), asking.close(), serving.close()]);
  });
});
