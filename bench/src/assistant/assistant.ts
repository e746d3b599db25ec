import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { root } from '@mostrador/local-platform/paths';
import { sizes } from '../messaging/at-rest.ts';
import { type MessagingStage, openMessagingStage, untilIdle, withPeer, withProcessorTime } from '../messaging/stage.ts';
import { countReceived, webhooksFrom } from '../messaging/webhooks.ts';
import type { Benchmark } from '../shared/benchmark.ts';
import { type Inspector, wakeInspector } from '../shared/inspector.ts';
import { describeMachine, watchMachine } from '../shared/machine.ts';
import { servers } from '../shared/platform.ts';
import { proportionalDataMb } from '../shared/processes.ts';
import { processorTime } from '../shared/processor-time.ts';
import { settingsOf, spread, spreadMs, targetsTable } from '../shared/report.ts';
import { ratios, rotated } from '../shared/statistics.ts';
import { table } from '../shared/table.ts';
import { type Answered, converse } from './converse.ts';

const full = { rounds: 3, seconds: 30, leads: 2200, waiting: 2000 };
const quickly = { rounds: 1, seconds: 12, leads: 300, waiting: 200 };
const few = 20;
const many = 200;
/** The default of a store. */
const quietSeconds = 6;
const quietWindow = `--ai-quiet-seconds ${quietSeconds} --ai-max-wait-seconds 30`;
const documents = 20;
/** Memory stands still when all processes together change by less within a second. */
const stillMb = 0.5;
const stillWithinMs = 15_000;
/** The processes that could hold a turn while it waits: the service that has its row, and the worker of its workflow. */
const holders = ['assistant', 'workflows'];

type Measured = {
  /** Milliseconds from the end of the quiet window, or from the message for the bare server, to the channel. */
  readonly ownMs: readonly number[];
  readonly perSecond: number;
  readonly cpuMs: Readonly<Record<string, number>>;
};
const ways = { few: `${few} conversations`, many: `${many} conversations`, bare: `bare server, ${few} conversations` };
type Way = keyof typeof ways;

/** `npm run bench -- assistant`. */
export const assistant: Benchmark = {
  name: 'assistant',
  about:
    'Answers of the AI over a stand-in of WhatsApp, with a model that answers at once: the time of the platform itself from\n' +
    'the end of the quiet window to the channel, answers per second beside a bare server that does only the core of the same\n' +
    'work, and what conversations cost that wait for quiet. Takes about six minutes and needs an otherwise idle machine.',
  addOptions: (command) => command,
  async run({ quick, ...options }, { say, signal }) {
    const { rounds, seconds, leads, waiting } = { ...(quick ? quickly : full), ...options };
    const quietness = watchMachine();
    say('Starting the platform.');
    const stage = await openMessagingStage(root, leads, join(import.meta.dirname, 'outside.ts'), {
      NODE_OPTIONS: '--inspect-port=0',
    });
    try {
      const machine = await describeMachine(stage.platform);
      const inspectors = await inspect(stage);
      say('Measuring what messages cost that no AI answers.');
      const idle = await costOf(stage, inspectors, waiting);
      await switchOn(stage);
      say('Measuring what waiting conversations cost.');
      const waited = await costOfWaiting(stage, inspectors, waiting);
      for (const inspector of inspectors) inspector.close();
      const results: Record<Way, Measured[]> = { few: [], many: [], bare: [] };
      for (let round = 0; round < rounds; round++) {
        for (const way of rotated(Object.keys(ways) as Way[], round)) {
          signal.throwIfAborted();
          const measured = await (way === 'bare' ? answerBare(stage, seconds) : answer(stage, atOnceOf[way], seconds));
          results[way].push(measured);
          say(`${ways[way]}: ${Math.round(measured.perSecond)}/s, p50 ${percentile(measured, 0.5).toFixed(1)} ms.`);
          await untilIdle(stage);
        }
      }
      return {
        name: 'assistant',
        report: {
          settings: settingsOf(`${rounds} rounds of ${seconds} s`, quietness),
          machine,
          sections: sectionsOf(results, waited, idle),
        },
      };
    } finally {
      say('Stopping.');
      await stage.stop();
    }
  },
};

const atOnceOf = { few, many };

/** Lets the AI answer in the store, with an agent, documents and the model. */
async function switchOn({ platform, waiting, providerUrl }: MessagingStage): Promise<void> {
  const create = async (path: string, body: object) => {
    const response = await fetch(`${platform.origin}/integrations/v1${path}`, {
      method: 'POST',
      headers: { 'X-API-Key': waiting.key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} was answered ${response.status}`);
  };
  await create('/agents', { name: 'Bia', priority: 1, is_default: true });
  for (let index = 0; index < documents; index++) {
    const content = `# Glasses ${index}\n\nYour glasses of kind ${index} are ready after ${index + 1} days.`;
    await create('/knowledge/documents', { title: `Glasses ${index}`, content });
  }
  await platform.admin(
    `ai connect --store ${waiting.id} --provider openai_compatible --url ${providerUrl}/v1 --model instant`,
  );
  await platform.admin(`store update --store ${waiting.id} --ai on --ai-daily-calls 1000000 ${quietWindow}`);
}

/** What conversations cost that wait for quiet for as long as it takes to read it. Then nothing is left of them. */
async function costOfWaiting(stage: MessagingStage, inspectors: readonly Inspector[], count: number): Promise<Cost> {
  const { platform, waiting: store, sql } = stage;
  const update = (options: string) => platform.admin(`store update --store ${store.id} ${options}`);
  const untilOpen = async (turns: number) => {
    for (const until = Date.now() + 120_000; ; await pause(100)) {
      const [row] = await sql<[{ open: number }]>`
        select count(*)::int as open from assistant.ai_turns where state = 'open'`;
      if (row.open === turns) return;
      if (Date.now() > until) throw new Error(`${row.open} turns are open, and not ${turns}`);
    }
  };
  const hold = async (turns: number) => {
    await untilOpen(turns);
    await sql`update assistant.ai_turns set next_attempt_at = now() + interval '1 hour' where state = 'open'`;
  };
  // Nothing but its row exists of a turn that waits.
  const end = async () => {
    await sql`
      update assistant.ai_turns
      set state = 'silent', reason = 'switched_off', answered_to = last_received_at, next_attempt_at = null
      where state = 'open'`;
    await untilIdle(stage);
  };
  await update('--ai-quiet-seconds 60 --ai-max-wait-seconds 300');
  // The first ones also load code, and open connections.
  const first = store.leads.slice(count);
  await writeOnce(stage, first);
  await hold(first.length);
  await end();
  const cost = await costOf(stage, inspectors, count, hold);
  await end();
  await update(quietWindow);
  return cost;
}

/** Lets customers write to the platform, and waits for the answers. */
async function answer(stage: MessagingStage, atOnce: number, seconds: number): Promise<Measured> {
  const { platform, waiting, provider: outside, processes, sql } = stage;
  const ids: string[] = [];
  const phones = fromRandomPlace(waiting.leads.map(({ phone }) => phone));
  const write = (index: number) => {
    const { posts, lastId } = webhooksFrom(waiting, [phones[index % phones.length] as string], 1);
    ids[index] = lastId;
    return posts[0] as (typeof posts)[number];
  };
  const { measured, cpuMs } = await withProcessorTime(processes, () =>
    converse({
      ...{ origin: platform.origin, phones, write, outside, atOnce },
      ...{ spreadMs: quietSeconds * 1000, warmUpMs: quietSeconds * 1000, durationMs: seconds * 1000 },
    }),
  );
  const rows = await sql<{ id: string; at: number }[]>`
    select provider_message_id as id, (extract(epoch from created_at) * 1000)::float8 as at
    from messaging.messages
    where channel_id = ${waiting.channelId} and provider_message_id = any(${measured.map(({ index }) => ids[index] as string)})`;
  const receivedAt = new Map(rows.map(({ id, at }) => [id, at]));
  const quietAt = ({ index }: Answered) => (receivedAt.get(ids[index] as string) ?? Number.NaN) + quietSeconds * 1000;
  return resultOf(measured, quietAt, { seconds, cpuMs });
}

/** Lets customers write to a bare server, which waits for no quiet. */
async function answerBare(stage: MessagingStage, seconds: number): Promise<Measured> {
  const { platform, waiting, provider: outside, providerUrl } = stage;
  const environment = {
    ...{ DATABASE_URL: platform.databaseUrl, APP_SECRET: waiting.appSecret, OUTSIDE_URL: providerUrl },
  };
  return await withPeer('reply-bare-http', environment, async (peer) => {
    const origin = await peer.call<string>('listen');
    const phones = waiting.leads.map(({ phone }) => phone);
    const write = (index: number) => {
      const { posts } = webhooksFrom(waiting, [phones[index % phones.length] as string], 1, '/webhook');
      return posts[0] as (typeof posts)[number];
    };
    const processes = { 'bare server': peer.pid, postgres: platform.processes.postgres ?? -1 };
    const { measured, cpuMs } = await withProcessorTime(processes, () =>
      converse({
        ...{ origin, phones, write, outside, atOnce: few },
        ...{ spreadMs: 0, warmUpMs: 1_000, durationMs: seconds * 1000 },
      }),
    );
    return resultOf(measured, ({ writtenAt }) => writtenAt, { seconds, cpuMs });
  });
}

type Run = { readonly seconds: number; readonly cpuMs: Readonly<Record<string, number>> };

const resultOf = (
  measured: readonly Answered[],
  since: (answered: Answered) => number,
  { seconds, cpuMs }: Run,
): Measured => ({
  ownMs: measured.map((each) => each.arrivedAt - since(each)).sort((a, b) => a - b),
  perSecond: measured.length / seconds,
  cpuMs,
});

const percentile = ({ ownMs }: Measured, share: number): number =>
  ownMs[Math.floor(ownMs.length * share)] ?? Number.NaN;

/** The phones in their order, from a random one on: leads take turns, and no lead reaches its cap of an hour. */
const fromRandomPlace = (phones: readonly string[]): string[] => {
  const from = Math.floor(Math.random() * phones.length);
  return [...phones.slice(from), ...phones.slice(0, from)];
};

/** Opens the inspectors of the processes that run on Node, so that their garbage can be collected. */
const inspect = ({ platform }: MessagingStage): Promise<Inspector[]> =>
  Promise.all(
    Object.entries(platform.processes)
      .filter(([name]) => !servers.includes(name))
      .map(([name, pid]) => wakeInspector(pid, join(platform.localDirectory, 'logs', `${name}.log`))),
  );

/** What the messages of `count` customers cost, one of each. */
type Cost = {
  /** How many conversations there were, and the megabytes of each process then. */
  readonly memory: readonly { readonly conversations: number; readonly megabytes: Readonly<Record<string, number>> }[];
  /** In bytes for each conversation. */
  readonly disk: Readonly<Record<string, number>>;
};

/**
 * Reads memory and disk before the messages, after half of them and after all, each time when nothing moves any more.
 * `written` is called before that with the number of messages so far.
 */
async function costOf(
  stage: MessagingStage,
  inspectors: readonly Inspector[],
  count: number,
  written = async (_messages: number) => {},
): Promise<Cost> {
  const { waiting, sql, processes } = stage;
  const megabytes = () =>
    Object.fromEntries(
      Object.entries(processes).map(([name, pid]) => [name, proportionalDataMb(pid, Object.values(processes))]),
    );
  /** The memory when nothing moves any more. A process gives its free memory back little by little. */
  const settled = async () => {
    await untilIdle(stage);
    await sql`checkpoint`;
    const until = Date.now() + stillWithinMs;
    for (let before = Number.POSITIVE_INFINITY; ; ) {
      // The second time collects what the first one has released.
      for (const inspector of [...inspectors, ...inspectors]) await inspector.collectGarbage();
      const now = megabytes();
      if (Math.abs(sumOf(now) - before) < stillMb || Date.now() > until) return now;
      before = sumOf(now);
      await pause(1_000);
    }
  };
  const memory = [{ conversations: 0, megabytes: await settled() }];
  const { 'PostgreSQL, WAL': _before, ...before } = await sizes(stage);
  for (const [from, to] of [
    [0, count / 2],
    [count / 2, count],
  ] as const) {
    await writeOnce(stage, waiting.leads.slice(from, to));
    await written(to);
    memory.push({ conversations: to, megabytes: await settled() });
  }
  const { 'PostgreSQL, WAL': _after, ...after } = await sizes(stage);
  const grown = Object.entries(after).map(([name, size]) => [name, (size - (before[name] ?? 0)) / count] as const);
  return { memory, disk: Object.fromEntries(grown) };
}

/** Each of the customers writes once. Returns when the messages are stored. */
async function writeOnce({ platform, waiting, sql, load }: MessagingStage, leads: MessagingStage['waiting']['leads']) {
  const phones = leads.map(({ phone }) => phone);
  const received = await countReceived(sql, waiting.channelId);
  const { posts } = webhooksFrom(waiting, phones, phones.length);
  await load({
    ...({ origin: platform.origin, method: 'POST', paths: [], headers: {}, expectedStatus: 200 } as const),
    ...{ prepared: posts, concurrency: 32, requests: posts.length, warmUpMs: 0, durationMs: 600_000 },
  });
  const until = Date.now() + 60_000;
  while ((await countReceived(sql, waiting.channelId)) < received + posts.length) {
    if (Date.now() > until) throw new Error('some messages were not stored');
  }
}

/** The bytes that a process, or all of `names`, takes for one more conversation. */
function bytesEach({ memory }: Cost, names: readonly string[]): number {
  const [none, , all] = memory as [Cost['memory'][number], Cost['memory'][number], Cost['memory'][number]];
  const of = ({ megabytes }: Cost['memory'][number]) => names.reduce((sum, name) => sum + (megabytes[name] ?? 0), 0);
  return ((of(all) - of(none)) * 1024 ** 2) / all.conversations;
}

function sectionsOf(results: Record<Way, Measured[]>, waited: Cost, idle: Cost): (readonly [string, ...string[]])[] {
  const names = Object.keys(ways) as Way[];
  const p50 = (way: Way) => results[way].map((each) => percentile(each, 0.5));
  const rates = (way: Way) => results[way].map(({ perSecond }) => perSecond);
  const cpu = (way: Way) => results[way].map(({ cpuMs }) => Object.values(cpuMs).reduce((sum, each) => sum + each, 0));
  const waiter = bytesEach(waited, holders);
  const disk = sumOf(waited.disk) - sumOf(idle.disk);
  const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(1)} kB`;
  return [
    [
      'Targets',
      targetsTable([
        {
          what: `from quiet to the channel, p50, ${few} conversations at once`,
          values: p50('few'),
          ...{ holds: '≤', limit: 150, unit: ' ms' },
        },
        {
          what: `a conversation that waits, memory of ${holders.join(' and ')}`,
          values: [waiter / 1024],
          ...{ holds: '≤', limit: 2, unit: ' kB' },
        },
      ]),
    ],
    [
      'Answers',
      table(
        ['', 'answers/s', 'p50', 'p99', 'processor time of an answer'],
        names.map((way) => [
          ways[way],
          spread(rates(way)),
          spreadMs(p50(way)),
          spreadMs(results[way].map((each) => percentile(each, 0.99))),
          spreadMs(cpu(way)),
        ]),
      ),
      `The times are from the end of the quiet window of ${quietSeconds} s, and for the bare server from the message. The conversations ` +
        `begin evenly spread over ${quietSeconds} s, because people do not write in the same moment. The platform takes ` +
        `${spread(ratios(cpu('many'), cpu('bare')))} times the processor time of the bare server.`,
      'Processor time of an answer by process, in milliseconds:',
      processorTime(names.map((way) => ({ title: ways[way], measured: results[way] }))),
    ],
    [
      'Memory while conversations wait',
      table(
        [
          'process',
          ...waited.memory.map(({ conversations }) => `${conversations} wait`),
          'each',
          'each, the AI is off',
        ],
        [...Object.keys(waited.memory[0]?.megabytes ?? {}), 'all'].map((name) => [
          name,
          ...waited.memory.map(
            ({ megabytes }) => `${(name === 'all' ? sumOf(megabytes) : (megabytes[name] ?? 0)).toFixed(1)} MB`,
          ),
          ...[waited, idle].map((cost) =>
            kilobytes(bytesEach(cost, name === 'all' ? Object.keys(cost.memory[0]?.megabytes ?? {}) : [name])),
          ),
        ]),
      ),
      'Proportional memory (PSS) without programs and libraries, when it stood still after the garbage of each process on Node ' +
        'was collected, twice. The servers have no such moment: PostgreSQL’s grows with the pages that its connections have ' +
        'read, and those of NATS and Temporal when their runtime wants it. So the target is about the two processes that ' +
        'could hold a turn.',
    ],
    [
      'What one more message leaves on the disk',
      table(
        ['', 'the AI is off', 'it waits for quiet', 'difference'],
        [
          ['all', kilobytes(sumOf(idle.disk)), kilobytes(sumOf(waited.disk)), kilobytes(disk)],
          ...Object.keys(waited.disk).map((name) => [
            `of it ${name}`,
            kilobytes(idle.disk[name] ?? 0),
            kilobytes(waited.disk[name] ?? 0),
            kilobytes((waited.disk[name] ?? 0) - (idle.disk[name] ?? 0)),
          ]),
        ],
      ),
    ],
  ];
}

const sumOf = (sizesByName: Readonly<Record<string, number>>): number =>
  Object.values(sizesByName).reduce((sum, size) => sum + size, 0);
