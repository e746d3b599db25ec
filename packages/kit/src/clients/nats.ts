import { eventStream } from '@mostrador/contracts/events';
import {
  type ConnectionOptions,
  connect,
  DiscardPolicy,
  type JetStreamManager,
  type NatsConnection,
  NatsError,
  nanos,
  RetentionPolicy,
  StorageType,
} from 'nats';
import type { Log } from '../process/log.ts';

export type { NatsConnection } from 'nats';

/** How long a connection to NATS may take to be made, and how long a ping may take. */
const dialTimeoutMs = 2_000;
const pingTimeoutMs = 1_000;
/** JetStream's code of that error (https://github.com/nats-io/nats-server/blob/main/server/errors.json). */
const streamNotFound = 10_059;

/** Files of certificates and a key, as nats-server and its clients name them. */
export type NatsTls = { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };

/** What a process's environment says about NATS, as `connectNats` takes it. */
export const natsAddress = (config: {
  readonly NATS_URL: string;
  readonly NATS_TLS_CA?: string;
  readonly NATS_TLS_CERT?: string;
  readonly NATS_TLS_KEY?: string;
}): { url: string; tls: NatsTls } => ({
  url: config.NATS_URL,
  tls: { caFile: config.NATS_TLS_CA, certFile: config.NATS_TLS_CERT, keyFile: config.NATS_TLS_KEY },
});

/**
 * A connection that never gives up: it waits for the first server, and after that reconnects for ever. Resolves when
 * connected for the first time.
 *
 * @param options.url `nats://` or `tls://user:password@host:port`; several separated by commas, of which the first says the user
 * @param options.firstMustWork throws when the first attempt fails, as whoever waits for it wants to know why
 * @param options.name what the server's lists show; the inboxes are those of the user, `_INBOX_<user>.`, or else of this
 */
export async function connectNats(options: {
  url: string;
  tls?: NatsTls;
  name: string;
  log: Log;
  firstMustWork?: boolean;
}): Promise<NatsConnection> {
  const { url, tls, name, log, firstMustWork = false } = options;
  const waiting = setInterval(() => log.warn('still waiting for NATS'), 5_000);
  try {
    const nats = await connect({
      ...serversOf(url, tls, name),
      name,
      waitOnFirstConnect: !firstMustWork,
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

/** The addresses apart from the user, whom the client library does not take from there. No error shows the text. */
function serversOf(text: string, tls: NatsTls = {}, name: string): ConnectionOptions {
  const urls = text.split(',').map((server) => {
    const url = URL.parse(server.includes('://') ? server.trim() : `nats://${server.trim()}`);
    if (!url?.host) throw new Error('NATS_URL is not an address');
    return url;
  });
  const { username, password } = urls[0] as URL;
  const user = decodeURIComponent(username);
  const secured = tls.caFile || tls.certFile || urls.some((url) => url.protocol === 'tls:');
  return {
    servers: urls.map((url) => url.host),
    ...(user ? { user, pass: decodeURIComponent(password) } : {}),
    // Permissions are prefixes, and so is the inbox's.
    inboxPrefix: `_INBOX_${user || name}`,
    // Where it is given, a server without TLS is refused before the password is sent.
    ...(secured ? { tls } : {}),
  };
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
  if (await exists(manager, config.name)) await manager.streams.update(config.name, config);
  else await manager.streams.add(config);
}

/** Asked by its name: the list of streams is more than a service may see. */
async function exists(manager: JetStreamManager, stream: string): Promise<boolean> {
  try {
    await manager.streams.info(stream);
    return true;
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.err_code === streamNotFound) return false;
    throw error;
  }
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
