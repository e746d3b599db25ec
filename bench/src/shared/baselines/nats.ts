import { connect, type NatsConnection } from 'nats';

/** A connection of a baseline, as a user of the platform's server: what it may do there costs it the same. */
export function openNats(address: string): Promise<NatsConnection> {
  const { host, username: user, password: pass } = new URL(address);
  return connect({ servers: host, user, pass, inboxPrefix: `_INBOX_${user}`, noAsyncTraces: true });
}
