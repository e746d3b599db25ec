import { setTimeout as pause } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import type { Platform, ProcessName } from './platform.ts';
import type { Random } from './random.ts';

export type Fault = {
  readonly name: string;
  /** Makes the trouble, keeps it up, and ends it. Returns what is worth saying. */
  run(platform: Platform, random: Random): Promise<string | undefined>;
};

const processes: readonly ProcessName[] = ['gateway', 'crm', 'scheduling', 'messaging', 'workflows'];
const ours: readonly ProcessName[] = ['gateway', 'crm', 'scheduling', 'workflows'];

/** Every fault there is. `short`: the form for trying, in which nothing is down for long. */
export function allFaults({ short }: { short: boolean }): Fault[] {
  const stallMs = short ? 3_000 : 6_000;
  // Past 15 s a stalled NATS is taken for dead and connections are made anew.
  const longStallMs = 18_000;
  const temporalAwayMs = short ? 15_000 : 75_000;
  const faults: Fault[] = [
    ...processes.map((name) => fault(`kill -9 of ${name}`, async ({ kill }) => kill([name]))),
    fault('kill -9 of two at once', async ({ kill }, random) => {
      const pair = random.shuffled(ours).slice(0, 2);
      kill(pair);
      return pair.join(' and ');
    }),
    fault('kill -9 of scheduling again and again', async ({ kill }, random) => {
      for (let times = 0; times < 4; times += 1) {
        kill(['scheduling']);
        await pause(400 + random.below(1_200));
      }
    }),
    fault('NATS killed and started again', async ({ servers: { nats } }) => {
      await nats.kill();
      await nats.start();
    }),
    fault('NATS stopped for a while', async ({ servers: { nats } }) => {
      await nats.stop();
      await pause(stallMs);
      await nats.start();
    }),
    fault('NATS stalled', async ({ servers: { nats } }) => {
      nats.stall();
      await pause(stallMs);
      nats.goOn();
    }),
    fault('PostgreSQL restarted', async ({ servers: { postgres } }) => {
      await postgres.stop();
      await postgres.start();
    }),
    fault('PostgreSQL killed and started again', async ({ servers: { postgres } }) => {
      await postgres.kill();
      await postgres.start();
    }),
    fault('PostgreSQL stalled', async ({ servers: { postgres } }) => {
      postgres.stall();
      await pause(stallMs);
      postgres.goOn();
    }),
    fault(`Temporal stopped for ${temporalAwayMs / 1000} s`, async ({ servers: { temporal } }) => {
      await temporal.stop();
      await pause(temporalAwayMs);
      await temporal.start();
    }),
    fault('workflows terminated by hand while the calendar is down', terminateWaiting),
  ];
  if (short) return faults;
  return [
    ...faults,
    fault('Temporal killed and started again', async ({ servers: { temporal } }) => {
      await temporal.kill();
      await temporal.start();
    }),
    fault('NATS stalled until it is taken for dead', async ({ servers: { nats } }) => {
      nats.stall();
      await pause(longStallMs);
      nats.goOn();
    }),
    fault('the calendar stopped for a while', async ({ radicale }) => {
      await radicale.stop();
      await pause(stallMs);
      await radicale.start();
    }),
    fault('every process killed at once', async ({ kill }) => kill(processes)),
    fault('scheduling killed while Temporal is stopped', async ({ kill, servers: { temporal } }) => {
      await temporal.stop();
      await pause(stallMs);
      kill(['scheduling']);
      await pause(stallMs);
      await temporal.start();
    }),
  ];
}

const fault = (name: string, trouble: (platform: Platform, random: Random) => Promise<unknown>): Fault => ({
  name,
  run: async (platform, random) => {
    const note = await trouble(platform, random);
    return typeof note === 'string' ? note : undefined;
  },
});

/** Takes away workflows that wait for their calendar, as an operator might by mistake. The sweep must bring them back. */
async function terminateWaiting({ radicale, servers }: Platform): Promise<string> {
  await radicale.stop();
  await pause(4_000);
  const connection = await Connection.connect({ address: servers.temporalAddress });
  try {
    const { workflow } = new Client({ connection });
    let terminated = 0;
    for await (const { workflowId, runId } of workflow.list({ query: "ExecutionStatus = 'Running'" })) {
      const ended = await workflow
        .getHandle(workflowId, runId)
        .terminate('chaos')
        .then(
          () => 1,
          () => 0,
        );
      terminated += ended;
      if (terminated >= 10) break;
    }
    return `${terminated} terminated`;
  } finally {
    await connection.close();
    await radicale.start();
  }
}
