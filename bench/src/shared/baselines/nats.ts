import { connect, type NatsConnection } from 'nats';

/** Connects a baseline as a user of the platform's server, so that permission checks cost it the same. */
export function openNats(address: string): Promise<NatsConnection> {
  const { host, username: user, password: pass } = new URL(address);
  return connect({ servers: host, user, pass, inboxPrefix: `_INBOX_${user}`, noAsyncTraces: true });
}
