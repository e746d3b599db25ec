import type { Target } from '../shared/report.ts';
import { disk, idle } from './at-rest.ts';
import { sendBesideBacklog, sendBesideFlood } from './backlog.ts';
import type { Measured, MessagingPlan } from './plan.ts';
import { receive, receiveBare } from './receive.ts';
import { send, sendBare, signalBare } from './send.ts';
import type { MessagingStage } from './stage.ts';

export type Measure = (stage: MessagingStage, plan: MessagingPlan) => Promise<Measured>;

/** One row of the benchmark: one kind of work, its floors, and what it has to reach. */
export type Row = {
  readonly name: string;
  readonly title: string;
  /** Whether an unmeasured run comes first. */
  readonly warmUp: boolean;
  readonly measure: Measure;
  /** Bare servers that do only the core of the same work, by name. */
  readonly floors: Readonly<Record<string, Measure>>;
  readonly targets: readonly (Pick<Target, 'holds' | 'limit' | 'unit'> & { readonly figure: string })[];
};

const bareSend = 'bare Fastify + one insert + one call';
const bareSignal = 'bare signal-with-start and an activity';
const bareWebhook = 'bare Fastify + HMAC + one insert';

const sendAndWait = (concurrency: number, targets: Row['targets'] = []): Row => ({
  name: `send-wait-${concurrency}`,
  title: `send and wait for the outcome, ${concurrency} ${concurrency === 1 ? 'caller' : 'callers'}`,
  warmUp: true,
  measure: (stage, { seconds }) => send(stage, stage.waiting, { concurrency, durationMs: seconds * 1000 }),
  floors: { [bareSend]: (stage, { seconds }) => sendBare(stage, { concurrency, seconds }) },
  targets,
});

const receivePaced = (perSecond: number, targets: Row['targets'] = []): Row => ({
  name: `receive-${perSecond}-a-second`,
  title: `receive, ${perSecond} webhooks a second`,
  warmUp: true,
  measure: (stage, { longSeconds }) => receive(stage, { count: perSecond * longSeconds, perSecond }),
  floors: {
    [bareWebhook]: (stage, { longSeconds }) => receiveBare(stage, { count: perSecond * longSeconds, perSecond }),
  },
  targets,
});

/** In the order in which they are measured: the platform is idle first, before it has done anything. */
export const rows: readonly Row[] = [
  {
    name: 'idle',
    title: 'no requests',
    warmUp: false,
    measure: idle,
    floors: {},
    targets: [
      { figure: 'cores, all', holds: '≤', limit: 0.03 },
      { figure: 'memory, all, MB', holds: '≤', limit: 700 },
    ],
  },
  sendAndWait(1, [
    { figure: 'to the provider, p50, ms', holds: '≤', limit: 12 },
    { figure: 'to the provider, p99, ms', holds: '≤', limit: 40 },
    { figure: 'processor time, ms', holds: '≤', limit: 15 },
  ]),
  sendAndWait(8),
  sendAndWait(32, [
    { figure: 'delivered/s', holds: '≥', limit: 200 },
    { figure: 'processor time, ms', holds: '≤', limit: 10 },
  ]),
  {
    name: 'send-32',
    title: 'send without waiting, 32 callers',
    warmUp: true,
    measure: (stage, { seconds }) => send(stage, stage.accepting, { concurrency: 32, durationMs: seconds * 1000 }),
    floors: {
      [bareSend]: (stage, { seconds }) => sendBare(stage, { concurrency: 32, seconds }),
      [bareSignal]: signalBare,
    },
    targets: [
      { figure: 'accepted/s', holds: '≥', limit: 200 },
      { figure: 'delivered/s', holds: '≥', limit: 200 },
      { figure: 'delivered ÷ accepted', holds: '≥', limit: 0.9 },
    ],
  },
  {
    name: 'receive-32',
    title: 'receive, 32 callers',
    warmUp: true,
    measure: (stage, { webhooks: count }) => receive(stage, { count }),
    floors: { [bareWebhook]: (stage, { webhooks: count }) => receiveBare(stage, { count }) },
    targets: [
      { figure: 'answered/s', holds: '≥', limit: 2500 },
      { figure: 'stored/s', holds: '≥', limit: 650 },
      { figure: 'processor time, ms', holds: '≤', limit: 2.9 },
    ],
  },
  receivePaced(10),
  receivePaced(50, [{ figure: 'processor time, ms', holds: '≤', limit: 6 }]),
  {
    name: 'disk',
    title: 'what a message received and one sent leave on the disk',
    warmUp: false,
    measure: disk,
    floors: {},
    targets: [],
  },
  {
    name: 'flood',
    title:
      'send and wait for the outcome, 1 caller, beside a store with a long queue that sends at the rate of its number',
    warmUp: true,
    measure: sendBesideFlood,
    floors: {},
    targets: [{ figure: 'p99 ÷ alone', holds: '≤', limit: 1.2 }],
  },
  // The last one: what it queues takes an hour to leave.
  {
    name: 'backlog',
    title: 'send and wait for the outcome, 1 caller, while the queues of many stores leave',
    warmUp: false,
    measure: sendBesideBacklog,
    floors: {},
    targets: [{ figure: 'first message, to the provider, ms', holds: '≤', limit: 1000 }],
  },
];
