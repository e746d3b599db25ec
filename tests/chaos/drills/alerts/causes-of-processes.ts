import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { taskQueues } from '@mostrador/contracts/workflows';
import { makeCertificates } from '@mostrador/testing/servers/certificates';
import { allProcesses, type ProcessName } from '../../storm/processes.ts';
import { newPhone } from '../../storm/stores.ts';
import { type AlertLike, type Cause, each } from './cause.ts';
import { instanceOf, type Scene } from './scene.ts';

/** What the lack of the only process of a service means. */
const gone = ({ platform }: Scene, name: ProcessName): AlertLike[] => [
  { alert: 'MostradorProcessDown', labels: { instance: instanceOf(platform, name) } },
  { alert: 'MostradorServiceUnavailable', labels: { service: name } },
  ...(name === 'workflows' ? [] : [{ alert: 'MostradorNoLeader', labels: { service: name } }]),
];
const stopped =
  (name: ProcessName) =>
  async ({ platform }: Scene) => {
    await platform.processes.stop(name);
    return () => platform.processes.start(name);
  };

export const crmIsStopped: Cause = {
  what: 'the only process of crm is stopped, while a new customer writes',
  alerts: (scene) => [
    ...gone(scene, 'crm'),
    ...each('MostradorDependencyDown', 'dependency', ['crm']),
    { alert: 'MostradorErrors' },
    { alert: 'MostradorInboundBehind' },
  ],
  async begin(scene) {
    const start = await stopped('crm')(scene);
    const [store] = scene.stores;
    const requests = scene.repeat(200, () => scene.ask(store, 'GET', '/sellers'));
    // Only a customer who is no lead yet waits for crm.
    await scene.writes(store, { phone: newPhone() }, 'Is anyone there?');
    return async () => {
      await requests();
      await start();
    };
  },
};

export const eventsIsStopped: Cause = {
  what: 'the only process of events is stopped, while leads change',
  alerts: (scene) => [
    ...gone(scene, 'events'),
    ...each('MostradorDependencyDown', 'dependency', ['events']),
    ...each('MostradorFeedBehind', 'service', ['crm']),
  ],
  mayFire: () => [{ alert: 'MostradorFeedBehind' }],
  async begin(scene) {
    const start = await stopped('events')(scene);
    const [{ leads }] = scene.stores;
    await scene.must(scene.stores[0], 'PATCH', `/leads/${leads[0]?.id}`, { name: 'Ana of the drill' });
    return start;
  },
};

export const workerIsDead: Cause = {
  what: 'the only worker is dead, while work comes',
  alerts: (scene) => [
    ...gone(scene, 'workflows'),
    ...each('MostradorWorkerDead', 'task_queue', taskQueues),
    ...each('MostradorTaskQueueBehind', 'task_queue', ['followup']),
    ...each('MostradorWorkOverdue', 'rows', ['follow-ups']),
  ],
  mayFire: () => [{ alert: 'MostradorTaskQueueBehind' }, { alert: 'MostradorWorkOverdue' }],
  async begin(scene) {
    const start = await stopped('workflows')(scene);
    const [store] = scene.stores;
    const body = { lead_id: store.leads[1]?.id as string, message: 'Hello.', delay_minutes: 0 };
    const { id } = await scene.must<{ id: string }>(store, 'POST', '/followups/scheduled', body);
    // Two minutes of waiting, shortened. It is woken, so a task waits for a worker for a minute.
    await scene.sql`
      update scheduling.followups set next_attempt_at = now() - interval '110 s' where id = ${id}`;
    return start;
  },
};

export const schedulingHangs: Cause = {
  what: 'the only process of scheduling hangs (SIGSTOP)',
  alerts: (scene) => [
    ...gone(scene, 'scheduling'),
    ...each('MostradorDependencyDown', 'dependency', ['scheduling']),
    { alert: 'MostradorWorkersUnknown' },
  ],
  async begin({ platform }) {
    platform.processes.stall('scheduling');
    return async () => platform.processes.goOn('scheduling');
  },
};

/** Beyond 2 s the process is not ready. */
const aheadMs = 5_000;

export const clockIsWrong: Cause = {
  what: 'a second process of crm starts on a host whose clock is 5 s ahead',
  alerts: () => [
    ...each('MostradorClockSkew', 'service', ['crm']),
    ...each('MostradorProcessNotReady', 'service', ['crm']),
    { alert: 'MostradorDependencyDown', labels: { service: 'crm', dependency: 'clock' } },
  ],
  async begin(scene) {
    const { platform } = scene;
    const port = await platform.portOfTwin('crm');
    await platform.startSkewedTwin('crm', aheadMs);
    scene.watchAnd(`127.0.0.1:${port}`);
    return async () => {
      scene.watchAnd();
      await platform.stopTwin('crm');
    };
  },
};

export const certificateExpires: Cause = {
  what: 'a certificate that ends in ten days is in the file of NODE_EXTRA_CA_CERTS',
  alerts: () =>
    allProcesses.map((service) => ({
      alert: 'MostradorCertificateExpires',
      labels: { service, variable: 'NODE_EXTRA_CA_CERTS' },
    })),
  async begin({ platform: { authority } }) {
    if (authority === undefined) throw new Error('There is no openssl on PATH, which makes certificates.');
    const before = readFileSync(authority, 'utf8');
    const others = makeCertificates({ days: 10 });
    appendFileSync(authority, readFileSync(others.ca, 'utf8'));
    others.remove();
    return async () => writeFileSync(authority, before);
  },
};

export const processorIsShort: Cause = {
  what: 'the process of assistant gets the processor for half of the time (SIGSTOP, SIGCONT)',
  alerts: () => each('MostradorEventLoopBusy', 'service', ['assistant']),
  mayFire: () => each('MostradorDependencyDown', 'dependency', ['assistant']),
  async begin({ platform, repeat }) {
    return repeat(800, async () => {
      platform.processes.stall('assistant');
      await pause(800);
      platform.processes.goOn('assistant');
    });
  },
};

const databaseRole = 'crm';

export const tableIsLocked: Cause = {
  what: 'a migration by hand locks a table of crm again and again, while hundreds of requests read it',
  alerts: () => [
    { alert: 'MostradorSlow' },
    ...each('MostradorQueueFull', 'service', ['crm']),
    ...each('MostradorConnectionsShort', 'service', ['crm']),
  ],
  // The check of the gateway is refused, too, while the queue of crm is full.
  mayFire: () => [{ alert: 'MostradorErrors' }, ...each('MostradorDependencyDown', 'dependency', ['crm'])],
  async begin(scene) {
    const lock = scene.repeat(300, () =>
      scene.sql.begin(async (sql) => {
        await sql`lock table crm.sellers in access exclusive mode`;
        await pause(3_500);
      }),
    );
    const [store] = scene.stores;
    const readers = Array.from({ length: 260 }, () => scene.repeat(10, () => scene.ask(store, 'GET', '/sellers')));
    return async () => {
      await lock();
      await Promise.all(readers.map((end) => end()));
    };
  },
};

export const rightIsRevoked: Cause = {
  what: 'the role of crm has lost a right',
  alerts: () => [{ alert: 'MostradorOperationFails', labels: { service: 'crm', subject: 'crm.api.sellers.list' } }],
  mayFire: () => [{ alert: 'MostradorErrors' }],
  async begin(scene) {
    await scene.sql`revoke select on crm.sellers from ${scene.sql(databaseRole)}`;
    const requests = scene.repeat(1_000, () => scene.ask(scene.stores[0], 'GET', '/sellers'));
    return async () => {
      await requests();
      await scene.sql`grant select on crm.sellers to ${scene.sql(databaseRole)}`;
    };
  },
};
