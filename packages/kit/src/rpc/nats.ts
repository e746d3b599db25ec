import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { eventStream } from '@mostrador/contracts/events';
import {
  type ConnectionOptions,
  connect,
  createInbox,
  DiscardPolicy,
  type NatsConnection,
  NatsError,
  nanos,
  nuid,
  RetentionPolicy,
  StorageType,
} from 'nats';
import { type Check, NoAnswer, NotReady, untilPassed } from '../process/health.ts';
import type { Log } from '../process/log.ts';

export type { NatsConnection } from 'nats';

const dialTimeoutMs = 2_000;
const pingTimeoutMs = 1_000;
/** JetStream's error code (https://github.com/nats-io/nats-server/blob/main/server/errors.json). */
const streamNotFound = 10_059;
/** `max_bytes` of a stream is more than the server has left. */
const storageExceeded = 10_047;
/** Of JetStream, when it has fewer nodes than replicas: in a cluster, and as one server. */
const tooFewNodes: readonly number[] = [10_005, 10_074];

/** Paths of certificates and a key, named as in nats-server and its clients. */
export type NatsTls = { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };

/** The NATS settings of a process's environment, as `connectNats` accepts them. */
export const natsAddress = (config: {
  readonly NATS_URL: string;
  readonly NATS_TLS_CA?: string;
  readonly NATS_TLS_CERT?: string;
  readonly NATS_TLS_KEY?: string;
  readonly NATS_STREAM_REPLICAS?: number;
}): { url: string; tls: NatsTls; streamReplicas: number | undefined } => ({
  url: config.NATS_URL,
  streamReplicas: config.NATS_STREAM_REPLICAS,
  tls: { caFile: config.NATS_TLS_CA, certFile: config.NATS_TLS_CERT, keyFile: config.NATS_TLS_KEY },
});

/**
 * Connects and never gives up: it retries the first connection, and later reconnects, without a limit. Resolves after
 * the first connection.
 *
 * @param options.url `nats://` or `tls://user:password@host:port`; several separated by commas, the user from the first
 * @param options.firstMustWork throws when the first attempt fails, for callers that need to know why
 * @param options.streamReplicas how many nodes keep the streams that `ensureEventStream` creates, at least
 * @param options.name shown in the server's lists; inboxes are `_INBOX_<user>.`, or `_INBOX_<name>.` without a user
 */
export async function connectNats(options: {
  url: string;
  tls?: NatsTls;
  name: string;
  log: Log;
  firstMustWork?: boolean;
  streamReplicas?: number | undefined;
}): Promise<NatsConnection> {
  const { url, tls, name, log, firstMustWork = false, streamReplicas } = options;
  const settings: ConnectionOptions = {
    ...serversOf(url, tls, name),
    name,
    maxReconnectAttempts: -1,
    // A restarting server may not have loaded its users yet. That must not end the connection permanently.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: 250,
    reconnectJitter: 250,
    timeout: dialTimeoutMs,
    // These detect a hanging server within 15 s.
    pingInterval: 5_000,
    maxPingOut: 2,
    // Async traces cost a stack trace per request.
    noAsyncTraces: true,
  };
  // The library's ids count up, so a service that answers one request could guess the reply subject of the next. The
  // permission to answer is no protection: it could make another service answer there.
  nuid.next = () => randomUUID();
  let reason = 'no answer yet';
  const complain = () => log.warn({ reason }, 'still waiting for NATS');
  const waiting = setInterval(complain, 5_000);
  try {
    // The client library can retry the first connection, too, but does not say why an attempt failed.
    for (;;) {
      try {
        const nats = await connect(settings);
        watch(nats, log);
        inboxPrefixes.set(nats, settings.inboxPrefix);
        if (streamReplicas !== undefined) wantedReplicas.set(nats, { count: streamReplicas, log });
        return nats;
      } catch (error) {
        if (firstMustWork) throw error;
        const before = reason;
        reason = reasonOf(error);
        if (reason !== before) complain();
        await pause(250 + Math.random() * 250);
      }
    }
  } finally {
    clearInterval(waiting);
  }
}

const inboxPrefixes = new WeakMap<NatsConnection, string | undefined>();

/** A new subject to which this connection's user may have answers sent. */
export const newInbox = (nats: NatsConnection): string => createInbox(inboxPrefixes.get(nats));

/** Why a connection attempt failed. The texts of the server and of the library contain no password. */
function reasonOf(error: unknown): string {
  const { message, chainedError } = error as NatsError;
  return chainedError?.message ?? message;
}

/** The addresses and the user, because the client library ignores a user in an address. No error shows `text`. */
function serversOf(text: string, tls: NatsTls = {}, name: string): ConnectionOptions {
  const urls = text.split(',').map((server) => {
    const url = URL.parse(server.includes('://') ? server.trim() : `nats://${server.trim()}`);
    if (!url?.host) throw new Error('NATS_URL is not an address such as nats://user:password@host:4222');
    return url;
  });
  const { username, password } = urls[0] as URL;
  const user = decodeURIComponent(username);
  const secured = tls.caFile || tls.certFile || urls.some((url) => url.protocol === 'tls:');
  return {
    servers: urls.map((url) => url.host),
    ...(user ? { user, pass: decodeURIComponent(password) } : {}),
    // NATS permissions are prefixes, so each user has its own inbox prefix.
    inboxPrefix: `_INBOX_${user || name}`,
    // With `tls` the client rejects a server without TLS before it sends the password.
    ...(secured ? { tls } : {}),
  };
}

/** How many replicas a process wants, by its connection, and the log for a failure to get them. */
type WantedReplicas = { readonly count: number; readonly log: Log };
const wantedReplicas = new WeakMap<NatsConnection, WantedReplicas>();

/** The connections that are down. The client library does not expose this state. */
const disconnected = new WeakSet<NatsConnection>();

/**
 * Whether requests can be sent now. While the connection is down the client library buffers messages, and would send
 * them after their callers have given up.
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

/** Throws unless NATS answers. Undefined: not connected yet. */
export const natsCheck =
  (current: () => NatsConnection | undefined): Check =>
  async () => {
    try {
      const nats = current();
      if (nats === undefined) throw new Error('not connected yet');
      await pingNats(nats);
    } catch (cause) {
      throw new NoAnswer('NATS does not answer, or rejects the login: the log says which. Check NATS_URL.', { cause });
    }
  };

/**
 * Throws when the user of the connection may not serve the requests of a service; with `serves: false`, when it may not
 * get the answers to a process of this name. For a moment it subscribes to a subject to which nothing is sent. The right to
 * ask others is not checked: NATS would deliver the question.
 */
export const natsUserCheck = (
  current: () => NatsConnection | undefined,
  service: string,
  { serves = true } = {},
): Check =>
  untilPassed(async () => {
    const nats = current();
    if (nats === undefined) throw new Error('not connected yet');
    let denial: NatsError | undefined;
    const callback = (error: NatsError | null) => {
      denial = error ?? undefined;
    };
    const subscription = serves
      ? nats.subscribe(`${service}.readiness`, { queue: service, callback })
      : nats.subscribe(`_INBOX_${service}.readiness`, { callback });
    try {
      await pingNats(nats);
    } finally {
      if (!subscription.isClosed()) subscription.unsubscribe();
    }
    if (denial === undefined) return;
    throw new NotReady(
      `NATS does not let the user in NATS_URL ${serves ? 'serve requests' : 'get answers'} as ${service}: each process has its own user of infra/nats/users.conf.`,
      { cause: denial },
    );
  });

/**
 * Creates the JetStream stream of the domain events if it is missing. Of an existing stream it changes the subjects of
 * events, and raises the replicas to the setting: size, age, more replicas and other subjects belong to the operator.
 */
export async function ensureEventStream(nats: NatsConnection): Promise<void> {
  const manager = await nats.jetstreamManager();
  const { name, subjects, maxBytes } = eventStream;
  // Looks up one name, because a service may not list the streams.
  const existing = await unlessMissing(manager.streams.info(name), streamNotFound);
  const replicas = wantedReplicas.get(nats);
  if (!existing) {
    const definition = {
      name,
      subjects: [...subjects],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.Old,
      max_age: nanos(7 * 24 * 3_600_000),
      max_bytes: maxBytes,
      // The relay may publish an event again. Within this time the stream drops the duplicate.
      duplicate_window: nanos(10 * 60_000),
    };
    const creation = manager.streams
      .add({ ...definition, ...(replicas && { num_replicas: replicas.count }) })
      .catch((error) => {
        const code = error instanceof NatsError ? error.api_error?.err_code : undefined;
        if (replicas === undefined || !tooFewNodes.includes(code ?? 0)) throw error;
        warnOfReplicas(replicas, error);
        return manager.streams.add(definition);
      });
    if (await unlessMissing(creation, storageExceeded)) return;
    throw new Error(
      `JetStream cannot reserve ${maxBytes / 1024 ** 3} GiB for the stream ${name}: give NATS a larger disk or max_file_store, and restart it.`,
    );
  }
  const isOfEvents = (subject: string) => subject.startsWith('events.');
  const others = existing.config.subjects.filter((subject) => !isOfEvents(subject));
  const present = existing.config.subjects.filter(isOfEvents).toSorted();
  if (present.join() !== subjects.join()) await manager.streams.update(name, { subjects: [...others, ...subjects] });
  if (replicas === undefined || existing.config.num_replicas >= replicas.count) return;
  await manager.streams
    .update(name, { num_replicas: replicas.count })
    .catch((error) => warnOfReplicas(replicas, error));
}

/** Events flow with fewer replicas. A later start tries again. */
const warnOfReplicas = ({ count, log }: WantedReplicas, error: unknown): void =>
  log.warn({ err: error, replicas: count }, 'the event stream does not get NATS_STREAM_REPLICAS');

/** The answer of a JetStream call, or null when it failed with this error code. */
export async function unlessMissing<T>(answer: Promise<T>, code: number): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.err_code === code) return null;
    throw error;
  }
}

function watch(nats: NatsConnection, log: Log): void {
  const follow = async () => {
    for await (const status of nats.status()) {
      if (status.type === 'disconnect') {
        disconnected.add(nats);
        // The check warns, and says what to do.
        log.info('NATS is not reachable');
      } else if (status.type === 'reconnect') {
        disconnected.delete(nats);
        log.info('NATS is reachable again');
      } else if (status.type === 'error') {
        log.error({ nats: String(status.data) }, 'the NATS connection had an error');
      }
    }
  };
  follow().catch((error) => log.error({ err: error }, 'the state of the NATS connection is unknown'));
}
