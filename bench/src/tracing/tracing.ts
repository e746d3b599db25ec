import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { root } from '@mostrador/local-platform/paths';
import { type Backlog, openBacklog } from '../shared/backlog.ts';
import type { Benchmark } from '../shared/benchmark.ts';
import type { LoadJob, Prepared } from '../shared/load/job.ts';
import { startLoad } from '../shared/load/start-load.ts';
import { describeMachine, watchMachine } from '../shared/machine.ts';
import { type Platform, startPlatform } from '../shared/platform.ts';
import { cpuMsEach, cpuOfAll } from '../shared/processes.ts';
import { processorMs } from '../shared/processor-time.ts';
import { settingsOf } from '../shared/report.ts';
import { rotated } from '../shared/statistics.ts';
import { openAll } from '../shared/stops.ts';
import { type Measured, reportTracing, type Share, shares } from './report.ts';

// Many short rounds: what disturbs the machine for seconds disturbs few of them.
const full = { rounds: 30, seconds: 1, created: 100 };
const quickly = { rounds: 1, seconds: 1, created: 50 };
const concurrency = 8;
/** Each of these requests in turn has another trace. */
const requestsInTurn = 500;
const lookEveryMs = 200;
const path = '/integrations/v1/appointments';
const body = JSON.stringify({ title: 'Exame', scheduled_at: '2030-01-31T12:00:00Z' });

/** `npm run bench -- tracing`. */
export const tracing: Benchmark = {
  name: 'tracing',
  about:
    'What traces cost: appointments created on a platform without traces, and on one that records 1 % or all of them.\n' +
    'The full form takes about 5 minutes and needs an otherwise idle machine.',
  async run({ quick, ...options }, { say, signal }) {
    const { rounds, seconds, created } = { ...(quick ? quickly : full), ...options };
    const quietness = watchMachine();
    say('Starting a platform without traces and one with them.');
    const { without, withTraces, load, stop } = await openAll(async (stops) => {
      const collector = await startCollector();
      stops.push(collector.close);
      const without = await stageOn(await startPlatform(root), stops);
      const withTraces = await stageOn(
        await startPlatform(root, {
          OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
          OTEL_TRACES_SAMPLER: 'parentbased_always_off',
          TRUST_TRACEPARENT: 'true',
        }),
        stops,
      );
      return { without, withTraces, load: await startLoad(stops) };
    });
    const stages = { off: without, '1 %': withTraces, all: withTraces } satisfies Record<Share, Stage>;
    const measure = async (share: Share, kind: 'request' | 'whole', limit: Partial<LoadJob>): Promise<Measured> => {
      const { platform, plain, connected, backlog } = stages[share];
      const before = cpuOfAll(platform.processes);
      const result = await load({
        ...{ origin: platform.origin, method: 'POST', paths: [path], expectedStatus: 201, concurrency },
        headers: { 'X-API-Key': kind === 'request' ? plain : connected },
        prepared: requestsOf(share),
        ...{ warmUpMs: 0, durationMs: seconds * 1000, ...limit },
      });
      if (kind === 'whole') while ((await backlog.waiting()) > 0) await pause(lookEveryMs, undefined, { signal });
      const measured = { ...result, cpuMs: cpuMsEach(before, platform.processes, result.sent) };
      say(`${share}, ${kind}: ${Math.round(result.perSecond)}/s, ${processorMs(measured).toFixed(2)} ms of processors`);
      return measured;
    };
    const round = async (number: number) => {
      for (const share of rotated(shares, number)) {
        signal.throwIfAborted();
        found.requests[share].push(await measure(share, 'request', {}));
        found.whole[share].push(await measure(share, 'whole', { requests: created, durationMs: 60_000 }));
      }
    };
    const empty = (): Record<Share, Measured[]> => ({ off: [], '1 %': [], all: [] });
    let found = { requests: empty(), whole: empty() };
    try {
      const machine = await describeMachine(without.platform);
      say('Warming up.');
      await round(0);
      found = { requests: empty(), whole: empty() };
      for (let number = 0; number < rounds; number++) {
        say(`Round ${number + 1} of ${rounds}.`);
        await round(number);
      }
      const settings = [
        ...settingsOf(`${rounds} rounds of ${seconds} s; a round measures every share once`, quietness),
        `${concurrency} callers in a closed loop. Callers and a collector that discards everything run on the same cores.`,
      ];
      return { name: 'tracing', report: reportTracing({ settings, machine, created, ...found }) };
    } finally {
      say('Stopping.');
      await stop();
    }
  },
};

/** A platform with the keys of a store without a calendar, and of one with one. */
type Stage = {
  readonly platform: Platform;
  readonly plain: string;
  readonly connected: string;
  readonly backlog: Backlog;
};

async function stageOn(platform: Platform, stops: (() => Promise<void>)[]): Promise<Stage> {
  stops.push(platform.stop);
  const backlog = openBacklog(platform.databaseUrl);
  stops.push(backlog.close);
  const [plain, connected] = [await platform.newStore({}), await platform.newStore({ calendar: true })];
  return { platform, plain: plain.key, connected: connected.key, backlog };
}

/** The requests of which this share is traced. */
function requestsOf(share: Share): Prepared[] {
  const every = { off: Number.POSITIVE_INFINITY, '1 %': 100, all: 1 }[share];
  const traceparent = () => `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`;
  return Array.from({ length: requestsInTurn }, (_, index) => ({
    ...{ path, body },
    headers: (index % every === every - 1 ? { traceparent: traceparent() } : {}) as Prepared['headers'],
  }));
}

async function startCollector() {
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.setHeader('content-type', 'application/json').end('{}'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
