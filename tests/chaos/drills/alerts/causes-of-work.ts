import { once } from 'node:events';
import { connect } from 'node:net';
import { type Cause, each } from './cause.ts';

/** The gateway of the drill has fewer than in production: `MAX_CONNECTIONS`. */
export const mostConnections = 500;

export const connectionsAreHeld: Cause = {
  what: 'clients hold nine tenths of the connections of the gateway',
  alerts: () => [{ alert: 'MostradorHttpConnectionsFull' }],
  async begin({ platform }) {
    const sockets = Array.from({ length: mostConnections * 0.9 }, () => connect(platform.ports.gateway, '127.0.0.1'));
    for (const socket of sockets) socket.on('error', () => {});
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    return async () => {
      for (const socket of sockets) socket.destroy();
    };
  },
};

const silentWay = 'messaging → temporal';

export const temporalIsCutOff: Cause = {
  what: 'the network between messaging and Temporal is silent, while a message waits',
  alerts: () => [
    ...each('MostradorOutboxBehind', 'service', ['messaging']),
    { alert: 'MostradorDependencyDown', labels: { service: 'messaging', dependency: 'temporal' } },
  ],
  async begin({ platform, must, stores: [, store] }) {
    await platform.ways.trouble(silentWay, 'silence');
    await must(store, 'POST', `/leads/${store.leads[0]?.id}/messages`, { message: 'It will come.' });
    return () => platform.ways.mend(silentWay);
  },
};

export const wakeUpIsRefused: Cause = {
  what: 'an outbox entry names a workflow that does not exist; nine attempts lie behind it',
  alerts: () => each('MostradorOutboxSetAside', 'service', ['messaging']),
  async begin({ sql, stores: [store] }) {
    const [row] = await sql`
      insert into messaging.outbox (store_id, kind, topic, entity_id, signal, attempts, last_error)
      values (${store.id}, 'workflow', 'no such workflow', ${store.id}, 'wake', 9, 'refused: planted')
      returning id`;
    return () => sql`delete from messaging.outbox where id = ${row?.id}`;
  },
};

export const eventIsRefused: Cause = {
  what: 'a feed entry has a type of entity that is longer than the events service takes',
  alerts: () => each('MostradorFeedSetAside', 'service', ['messaging']),
  async begin({ sql, stores: [store] }) {
    const [row] = await sql`
      insert into messaging.feed_entries (store_id, type, entity_type, entity_id, data)
      values (${store.id}, 'lead.updated', ${'x'.repeat(51)}, ${store.id}, '{}') returning id`;
    return () => sql`delete from messaging.feed_entries where id = ${row?.id}`;
  },
};

export const partitionsAreKept: Cause = {
  what: 'a long transaction reads old partitions of the feed, so they are not removed',
  alerts: () => [{ alert: 'MostradorFeedPartitionsKept' }],
  async begin({ sql }) {
    const days = sql`generate_series(current_date - 45, current_date - 1, interval '1 day')`;
    await sql`select events.make_event_partition(day::date) from ${days} as day`;
    const reader = await sql.reserve();
    await reader`begin`;
    await reader`select count(*) from events.events`;
    return async () => {
      await reader`commit`;
      reader.release();
      // The job of events does it within ten minutes.
      await sql`select events.drop_event_partition(day::date) from ${days} as day where day < current_date - 30`;
    };
  },
};
