import { eventStream } from '@mostrador/contracts';
import type { NatsConnection } from '@mostrador/kit/rpc/nats';
import { type Finding, toTime } from './finding.ts';

/** What JetStream says about the stream of the domain events and its consumers. */
export type StreamState = {
  readonly replicas: number;
  /** The nodes of the stream. Null: NATS is one server. */
  readonly nodes: { readonly leader: string; readonly others: readonly Node[] } | null;
  readonly bytes: number;
  readonly maxBytes: number;
  readonly consumers: readonly { readonly name: string; readonly pending: number; readonly waiting: number }[];
};
type Node = { readonly name: string; readonly current: boolean; readonly offline: boolean };

/** Undefined: there is no stream. */
export async function readStream(nats: NatsConnection): Promise<StreamState | undefined> {
  const manager = await nats.jetstreamManager();
  const [info, consumers] = await Promise.all([
    manager.streams.info(eventStream.name).catch((error: { api_error?: { code: number } }) => {
      if (error.api_error?.code === 404) return undefined;
      throw error;
    }),
    manager.consumers
      .list(eventStream.name)
      .next()
      .catch(() => []),
  ]);
  if (!info) return undefined;
  const { cluster } = info;
  return {
    replicas: info.config.num_replicas,
    nodes: cluster?.replicas
      ? {
          leader: cluster.leader ?? '',
          others: cluster.replicas.map(({ name, current, offline }) => ({ name, current, offline: offline ?? false })),
        }
      : null,
    bytes: info.state.bytes,
    maxBytes: info.config.max_bytes,
    consumers: consumers.map(({ name, num_pending, num_ack_pending }) => ({
      name,
      pending: num_pending,
      waiting: num_ack_pending,
    })),
  };
}

/** A consumer that has this many events unread is not only late for a moment. */
const manyPending = 1_000;

/** What is wrong with the stream. Pure. */
export function judgeStream(stream: StreamState | undefined): Finding[] {
  const now = toTime(new Date());
  if (!stream) {
    return [
      {
        severity: 'warning',
        what: `NATS has no stream ${eventStream.name}. Internal notices between the services wait in the outboxes`,
        since: null,
        why: 'No service could make it yet, or it was deleted, or the data of NATS was lost.',
        remedy: `Look for "the event stream" in the log of crm, which says why it cannot make it. JetStream must have ${eventStream.maxBytes / 1024 ** 3} GiB of its disk free. Each event that a service publishes tries again.`,
      },
    ];
  }
  const findings: Finding[] = [];
  for (const { name, offline } of stream.nodes?.others.filter(({ current, offline }) => offline || !current) ?? []) {
    findings.push({
      severity: 'warning',
      what: `The copy of the stream ${eventStream.name} at ${name} is ${offline ? 'offline' : 'behind'}`,
      since: now,
      why: 'That node of NATS does not run, or cannot keep up.',
      remedy: 'Start the node. One more that fails may stop the stream.',
    });
  }
  if (stream.nodes && stream.nodes.others.length > 0 && stream.nodes.leader === '') {
    findings.push({
      severity: 'critical',
      what: `The stream ${eventStream.name} has no leader. Events wait in the outboxes`,
      since: now,
      why: 'Fewer than half of its nodes run.',
      remedy: 'Start the nodes of NATS that are down.',
    });
  }
  if (stream.nodes && stream.replicas === 1) {
    findings.push({
      severity: 'warning',
      what: `The stream ${eventStream.name} has one copy, although NATS is a cluster`,
      since: null,
      why: 'Its num_replicas is 1, so it stops with its node.',
      remedy: `Raise it: nats stream edit ${eventStream.name} --replicas 3.`,
    });
  }
  if (stream.maxBytes > 0 && stream.bytes > 0.9 * stream.maxBytes) {
    findings.push({
      severity: 'note',
      what: `The stream ${eventStream.name} is full to ${Math.round((100 * stream.bytes) / stream.maxBytes)} %`,
      since: now,
      why: 'It drops its oldest events when it is full. Consumers that are up to date lose nothing.',
      remedy: 'Raise its max_bytes if a consumer may be behind by more than that.',
    });
  }
  for (const { name, pending } of stream.consumers.filter((each) => each.pending > manyPending)) {
    findings.push({
      severity: 'warning',
      what: `${pending.toLocaleString('en')} events wait for the consumer ${name}`,
      since: now,
      why: 'Its service does not run, fails at an event, or cannot keep up.',
      remedy: `Look at the log of ${name.split('-')[0]}.`,
    });
  }
  return findings;
}
