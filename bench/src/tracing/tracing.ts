import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { root } from '@mostrador/local-platform/paths';
import { type Backlog, openBacklog } from '../shared/backlog.ts';
import type { Benchmark } from '../shared/benchmark.ts';
import type { LoadJob } from '../shared/load/job.ts';
import { startLoad } from '../shared/load/start-load.ts';
import { describeMachine, watchMachine } from '../shared/machine.ts';
import { type Platform, startPlatform } from '../shared/platform.ts';
import { cpuMsEach, cpuOfAll } from '../shared/processes.ts';
import { processorMs } from '../shared/processor-time.ts';
import { settingsOf } from '../shared/report.ts';
import { rotated } from '../shared/statistics.ts';
import { openAll } from '../shared/stops.ts';
import { type Measured, reportTracing, type Share, shares } from './report.ts';

const full = { starts: 3, rounds: 10, seconds: 3, created: 50 };
const quickly = { starts: 1, rounds: 1, seconds: 3, created: 50 };
/** V8 compiles what runs often. The first requests cost twice as much as the later ones. */
const warmUpMs = 15_000;
const concurrency = 4;
const lookEveryMs = 100;
const path = '/integrations/v1/appointments';
const body = JSON.stringify({ title: 'Exame', scheduled_at: '2030-01-31T12:00:00Z' });

/** `npm run bench -- tracing`. */
export const tracing: Benchmark = {
  name: 'tracing',
  about:
    'What traces cost: appointments created on three platforms at once, which record none, 1 % and all of the traces.\n' +
    'The full form takes about 9 minutes. A busy machine makes the ranges wider, and favours no platform.',
  async run({ quick, ...options }, { say, signal }) {
    const { starts, rounds, seconds, created } = { ...(quick ? quickly : full), ...options };
    const quietness = watchMachine();
    const requests: Record<Share, Measured[]> = { off: [], '1 %': [], all: [] };
    const whole: Record<Share, Measured[]> = { off: [], '1 %': [], all: [] };
    let machine: string[] = [];
    // Equal processes differ a little from start to start, so one start would not do.
    for (let start = 1; start <= starts; start++) {
      say(`Starting three platforms, time ${start} of ${starts}.`);
      const { stages, load, stop } = await openAll(async (stops) => {
        const collector = await startCollector();
        stops.push(collector.close);
        const stages = {} as Record<Share, Stage>;
        for (const share of rotated(shares, start)) stages[share] = await startStage(share, collector.url, stops);
        return { stages, load: await startLoad(stops) };
      });
      const measure = async (share: Share, key: 'plain' | 'connected', limit: Partial<LoadJob>): Promise<Measured> => {
        const { platform, backlog, [key]: apiKey } = stages[share];
        const before = cpuOfAll(platform.processes);
        const result = await load({
          ...{ origin: platform.origin, method: 'POST', paths: [path], body, expectedStatus: 201, concurrency },
          headers: { 'X-API-Key': apiKey },
          ...{ warmUpMs: 0, durationMs: seconds * 1000, ...limit },
        });
        while (key === 'connected' && (await backlog.waiting()) > 0) await pause(lookEveryMs, undefined, { signal });
        return { ...result, cpuMs: cpuMsEach(before, platform.processes, result.sent) };
      };
      // All at the same time, so that what disturbs the machine disturbs each of them.
      const measureAll = async (key: 'plain' | 'connected', limit: Partial<LoadJob>): Promise<Measured[]> => {
        signal.throwIfAborted();
        const measured = await Promise.all(shares.map((share) => measure(share, key, limit)));
        say(`${key}: ${measured.map((each) => processorMs(each).toFixed(2)).join(', ')} ms of processors`);
        return measured;
      };
      try {
        machine = await describeMachine(stages.off.platform);
        for (let round = 0; round <= rounds; round++) {
          say(round === 0 ? 'Warming up.' : `Round ${round} of ${rounds}.`);
          const [plain, connected] = [
            await measureAll('plain', round === 0 ? { durationMs: warmUpMs } : {}),
            await measureAll('connected', { requests: created, durationMs: 60_000 }),
          ];
          if (round === 0) continue;
          for (const [index, share] of shares.entries()) {
            requests[share].push(plain[index] as Measured);
            whole[share].push(connected[index] as Measured);
          }
        }
      } finally {
        say('Stopping.');
        await stop();
      }
    }
    const settings = [
      ...settingsOf(`${rounds} rounds of ${seconds} s after each of ${starts} starts`, quietness),
      `Three platforms work at the same time, for ${concurrency} callers each in a closed loop. Callers and a collector that discards everything run on the same cores.`,
    ];
    return { name: 'tracing', report: reportTracing({ settings, machine, created, requests, whole }) };
  },
};

/** A platform with the keys of a store without a calendar, and of one with one. */
type Stage = {
  readonly platform: Platform;
  readonly plain: string;
  readonly connected: string;
  readonly backlog: Backlog;
};

async function startStage(share: Share, collectorUrl: string, stops: (() => Promise<void>)[]): Promise<Stage> {
  const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl, OTEL_TRACES_SAMPLER: 'traceidratio' };
  const environment = {
    off: {},
    '1 %': { ...traced, OTEL_TRACES_SAMPLER_ARG: '0.01' },
    all: { ...traced, OTEL_TRACES_SAMPLER_ARG: '1' },
  }[share];
  const platform = await startPlatform(root, environment);
  stops.push(platform.stop);
  const backlog = openBacklog(platform.databaseUrl);
  stops.push(backlog.close);
  const [plain, connected] = [await platform.newStore({}), await platform.newStore({ calendar: true })];
  return { platform, plain: plain.key, connected: connected.key, backlog };
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
