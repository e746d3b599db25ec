import { setTimeout as pause } from 'node:timers/promises';
import { appointmentWorkflow } from '@mostrador/contracts';
import type { Behaviour } from '@mostrador/testing/providers/whatsapp/server';
import type { Random } from '@mostrador/testing/random';
import { hangForCrowd } from './crowd.ts';
import type { ChaosStore, Journal } from './journal.ts';
import { withServers } from './look.ts';
import type { Platform } from './platform.ts';
import { allProcesses, type ProcessName, twinOf } from './processes.ts';
import type { Server } from './server.ts';
import { type Trouble, troubles } from './ways.ts';

export type Stage = {
  readonly platform: Platform;
  readonly random: Random;
  readonly journal: Journal;
  /** The stores that share one provider. */
  readonly crowd: readonly ChaosStore[];
};
export type Fault = {
  readonly name: string;
  /** Makes the fault, keeps it up for its time, and ends it. Returns a note for the log, if there is one. */
  run(stage: Stage): Promise<string | undefined>;
};

type Trial = (stage: Stage) => Promise<unknown>;

const clientsWay = 'clients → gateway';
/** The processes that read deadlines by their own clock. */
const skewed = ['crm', 'scheduling', 'messaging', 'events', 'accounts', 'assistant'] as const;
const skewMs = 10_000;
/** After 15 s without an answer from NATS, clients drop the connection and dial again. */
const takenForDeadMs = 18_000;

/**
 * All faults. The short form has each kind once or a few times, at random places, and nothing is down for long: the tests
 * in `exact` kill each process at each of its steps.
 */
export function chooseFaults({ platform, random, crowd }: Omit<Stage, 'journal'>, short: boolean): Fault[] {
  const some = <T>(list: readonly T[], count: number): readonly T[] =>
    short ? random.shuffled(list).slice(0, count) : list;
  const badMs = short ? 2_500 : 7_000;
  const { servers, ways, disk } = platform;
  const named = { PostgreSQL: servers.postgres, NATS: servers.nats, Temporal: servers.temporal };
  const pairs = allProcesses.flatMap((one, index) =>
    allProcesses.slice(index + 1).map((other) => [one, other] as const),
  );
  const between = ways.names();
  return [
    ...some(allProcesses, 3).map((name) => fault(`kill -9 of ${name}`, async () => platform.processes.kill(name))),
    ...some(pairs, 2).map((pair) =>
      fault(`kill -9 of ${pair.join(' and ')} at once`, async () => platform.processes.kill(...pair)),
    ),
    ...some(allProcesses, 1).map((name) => fault(`repeated kill -9 of ${name}`, againAndAgain(name))),
    ...some(allProcesses, 1).map((name) => fault(`${name} stalled`, stalled(name, badMs))),
    ...(short ? [] : allProcesses).map((name) =>
      fault(`two versions of ${name} side by side`, sideBySide([name], badMs)),
    ),
    fault('two versions of every process side by side', sideBySide(allProcesses, badMs)),
    ...Object.entries(named).flatMap(([name, server]) => [
      ...(short && name !== 'PostgreSQL' ? [] : [fault(`${name} restarted`, restarted(server))]),
      fault(`kill -9 of ${name}`, killed(server)),
      fault(`${name} stalled`, stalledServer(server, badMs)),
    ]),
    ...some(skewed, 1).map((name) => fault(`a second ${name} with a clock 10 s off`, skewedTwin(name, badMs))),
    fault('PostgreSQL fails over to its standby', failsOver(badMs)),
    fault('NATS without JetStream', withoutJetStream(short ? badMs : 60_000)),
    ...troubles.flatMap((trouble) =>
      some(between, 1).map((way) => fault(`${trouble}: ${way}`, badWay(way, trouble, badMs))),
    ),
    ...(typeof disk() === 'string' ? [] : [fault("PostgreSQL's disk is full", fullDisk(badMs))]),
    fault('WhatsApp rejects messages', behaving({ refuse: { code: 131016 } }, badMs)),
    fault('WhatsApp closes connections', behaving({ cut: true }, badMs)),
    fault('WhatsApp accepts messages without answering', behaving({ answer: 'hang' }, badMs)),
    fault('WhatsApp hangs', providerHangs('messaging → whatsapp', badMs)),
    ...(crowd.length > 0 ? [fault(`WhatsApp hangs for ${crowd.length} numbers`, hangsForCrowd(short))] : []),
    fault('the calendar hangs', providerHangs('scheduling → calendar', badMs)),
    fault('the calendar is down', calendarDown(badMs)),
    fault('workflows terminated by hand while the calendar is down', terminateWaiting),
    ...(short
      ? []
      : [
          fault('every process killed at once', async () => platform.processes.kill(...allProcesses)),
          fault('Temporal stopped for over a minute', stoppedFor(servers.temporal, 70_000)),
          fault('NATS stopped for some seconds', stoppedFor(servers.nats, badMs)),
          fault('NATS stalled until clients drop the connection', stalledServer(servers.nats, takenForDeadMs)),
          ...(['scheduling', 'messaging'] as const).map((name) =>
            fault(`kill -9 of ${name} while Temporal is stopped`, killedWithoutTemporal(name, badMs)),
          ),
        ]),
  ];
}

const fault = (name: string, trial: Trial): Fault => ({
  name,
  run: async (stage) => {
    const note = await trial(stage);
    return typeof note === 'string' ? note : undefined;
  },
});

const againAndAgain =
  (name: ProcessName): Trial =>
  async ({ platform, random }) => {
    for (let times = 0; times < 4; times += 1) {
      platform.processes.kill(name);
      await pause(400 + random.below(1_200));
    }
  };

const stalled =
  (name: ProcessName, ms: number): Trial =>
  async ({ platform: { processes }, journal }) => {
    const change = name === 'gateway' ? 1 : 0;
    journal.clientsWayChanges += change;
    processes.stall(name);
    await pause(ms);
    processes.goOn(name);
    journal.clientsWayChanges += change;
  };

/** Like a deployment: a second instance starts, the first one restarts, and then the second one is killed. */
const sideBySide =
  (names: readonly ProcessName[], ms: number): Trial =>
  async ({ platform }) => {
    const { processes } = platform;
    await Promise.all(names.map((name) => platform.startTwin(name)));
    await pause(ms);
    if (names.includes('gateway')) platform.balance(false);
    await processes.stop(...names);
    await processes.start(...names);
    platform.balance(true);
    // A kill instead of a stop, so that the first instance must take over unfinished work.
    processes.kill(...names.map(twinOf));
    await Promise.all(names.map((name) => platform.stopTwin(name)));
  };

const restarted =
  (server: Server): Trial =>
  async () => {
    await server.stop();
    await server.start();
  };

const killed =
  (server: Server): Trial =>
  async () => {
    await server.kill();
    await server.start();
  };

const stoppedFor =
  (server: Server, ms: number): Trial =>
  async () => {
    await server.stop();
    await pause(ms);
    await server.start();
  };

const stalledServer =
  (server: Server, ms: number): Trial =>
  async () => {
    server.stall();
    await pause(ms);
    server.goOn();
  };

const badWay =
  (way: string, trouble: Trouble, ms: number): Trial =>
  async ({ platform: { ways }, journal }) => {
    const change = way === clientsWay ? 1 : 0;
    journal.clientsWayChanges += change;
    await ways.trouble(way, trouble);
    await pause(ms);
    await ways.mend(way);
    journal.clientsWayChanges += change;
  };

const providerHangs =
  (name: string, ms: number): Trial =>
  async ({ platform: { ways } }) => {
    const theirs = ways.names().filter((way) => way.startsWith(name));
    for (const way of theirs) await ways.trouble(way, 'silence');
    await pause(ms);
    for (const way of theirs) await ways.mend(way);
  };

const behaving =
  (behaviour: Behaviour, ms: number): Trial =>
  async ({ platform: { phones } }) => {
    for (const { server } of phones) server.always(behaviour);
    await pause(ms);
    for (const { server } of phones) server.always({});
  };

/** The long form measures longer, and never while it works off earlier faults. */
const hangsForCrowd =
  (short: boolean): Trial =>
  async (stage) =>
    await (short ? hangForCrowd(stage, 5_000, 0) : hangForCrowd(stage, 28_000, 150_000));

/** Its share of the requests must be served by the first instance, or refused before its deadline. */
const skewedTwin =
  (name: (typeof skewed)[number], ms: number): Trial =>
  async ({ platform, random }) => {
    await platform.startSkewedTwin(name, random.pick([skewMs, -skewMs]));
    await pause(2 * ms);
    await platform.stopTwin(name);
  };

/** The load runs for this time while every acknowledged commit is on both servers. */
const failsOver =
  (ms: number): Trial =>
  async ({ platform: { servers } }) =>
    `no primary for ${(await servers.postgres.failOver(() => pause(ms))).toFixed(0)} ms`;

const withoutJetStream =
  (ms: number): Trial =>
  async ({ platform: { servers } }) => {
    await servers.switchJetStream('disabled');
    await pause(ms);
    await servers.switchJetStream('enabled');
  };

const calendarDown =
  (ms: number): Trial =>
  async ({ platform: { radicale } }) => {
    await radicale.stop();
    await pause(ms);
    await radicale.start();
  };

const fullDisk =
  (ms: number): Trial =>
  async ({ platform: { servers, ...platform } }) => {
    const disk = platform.disk();
    if (typeof disk === 'string') return;
    disk.fill();
    await pause(ms);
    disk.free();
    await servers.postgres.start();
  };

const killedWithoutTemporal =
  (name: ProcessName, ms: number): Trial =>
  async ({ platform: { processes, servers } }) => {
    await servers.temporal.stop();
    await pause(ms);
    processes.kill(name);
    await pause(ms);
    await servers.temporal.start();
  };

const terminatedAtMost = 10;

/** Terminates workflows that wait for their calendar, like a mistake of an operator. The sweep must restart them. */
const terminateWaiting: Trial = async ({ platform }) => {
  const { radicale } = platform;
  await radicale.stop();
  await pause(2_500);
  try {
    const terminated = await withServers(platform, async ({ sql, temporal: { workflow } }) => {
      // The sweep skips a row for 5 minutes after a wake-up, so only rows that it has not yet woken qualify.
      const waiting = await sql<{ id: string }[]>`
        select appointment_id as id from scheduling.calendar_syncs
        where state = 'pending' and woken_at is null and attempts > 0 limit ${terminatedAtMost}`;
      const endings = waiting.map(({ id }) =>
        workflow.getHandle(appointmentWorkflow.workflowId(id)).terminate('chaos'),
      );
      return (await Promise.allSettled(endings)).filter(({ status }) => status === 'fulfilled').length;
    });
    return `${terminated} terminated`;
  } finally {
    await radicale.start();
  }
};
