import { eventStream } from '@mostrador/contracts';
import { connect, DiscardPolicy, type NatsConnection, nanos, RetentionPolicy, StorageType } from 'nats';
import type { Log } from './log.ts';

export type { NatsConnection } from 'nats';

/** How long a connection to NATS may take to be made, and how long a ping may take. */
const dialTimeoutMs = 2_000;
const pingTimeoutMs = 1_000;

/**
 * A connection that never gives up: it waits for the first server, and after that reconnects for ever.
 * `url` may name several servers, separated by commas. Resolves when connected for the first time.
 */
export async function connectNats(options: { url: string; name: string; log: Log }): Promise<NatsConnection> {
  const { url, name, log } = options;
  const waiting = setInterval(() => log.warn('still waiting for NATS'), 5_000);
  try {
    const nats = await connect({
      servers: url.split(',').map((server) => server.trim()),
      name,
      // Permissions are prefixes, and so is the inbox's.
      inboxPrefix: `_INBOX_${name}`,
      waitOnFirstConnect: true,
      maxReconnectAttempts: -1,
      // A server that restarts with its users not loaded yet must not end the connection for good.
      ignoreAuthErrorAbort: true,
      reconnectTimeWait: 250,
      reconnectJitter: 250,
      timeout: dialTimeoutMs,
      // A server that hangs is noticed within 15 s.
      pingInterval: 5_000,
      maxPingOut: 2,
      // They cost a stack trace for every request.
      noAsyncTraces: true,
    });
    watch(nats, log);
    return nats;
  } finally {
    clearInterval(waiting);
  }
}

/** What is known of each connection: the client library does not say whether it is connected. */
const disconnected = new WeakSet<NatsConnection>();

/**
 * Whether requests can be sent now. What is published while the connection is down would be buffered and sent late,
 * after whoever asked has given up.
 */
export function isConnected(nats: NatsConnection): boolean {
  return !nats.isClosed() && !disconnected.has(nats);
}

/** Throws when NATS does not answer within a second. */
export async function pingNats(nats: NatsConnection): Promise<void> {
  if (!isConnected(nats)) throw new Error('not connected to NATS');
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer from NATS')), pingTimeoutMs);
  });
  try {
    await Promise.race([nats.flush(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Makes the JetStream stream of the domain events, or brings it to these settings. */
export async function ensureEventStream(nats: NatsConnection): Promise<void> {
  const manager = await nats.jetstreamManager();
  const config = {
    name: eventStream.name,
    subjects: [eventStream.subjects],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_age: nanos(7 * 24 * 3_600_000),
    max_bytes: 1024 ** 3,
    // The relay may publish an event again: within this time the stream keeps only one.
    duplicate_window: nanos(10 * 60_000),
  };
  const streams = await manager.streams.list().next();
  const exists = streams.some((stream) => stream.config.name === config.name);
  if (exists) await manager.streams.update(config.name, config);
  else await manager.streams.add(config);
}

function watch(nats: NatsConnection, log: Log): void {
  const follow = async () => {
    for await (const status of nats.status()) {
      if (status.type === 'disconnect') {
        disconnected.add(nats);
        log.warn('NATS is not reachable');
      } else if (status.type === 'reconnect') {
        disconnected.delete(nats);
        log.info('NATS is reachable again');
      } else if (status.type === 'error') {
        log.error({ nats: String(status.data) }, 'NATS reports an error');
      }
    }
  };
  follow().catch((error) => log.error({ err: error }, 'the state of the NATS connection is not known any more'));
}
