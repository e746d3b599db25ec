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

const full = { rounds: 12, seconds: 10, created: 100 };
const quickly = { rounds: 1, seconds: 5, created: 50 };
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
    'The full form takes about 20 minutes. A busy machine makes the ranges wider, and favours no platform.',
  async run({ quick, ...options }, { say, signal }) {
    const { rounds, seconds, created } = { ...(quick ? quickly : full), ...options };
    const quietness = watchMachine();
    const requests: Record<Share, Measured[]> = { off: [], '1 %': [], all: [] };
    const whole: Record<Share, Measured[]> = { off: [], '1 %': [], all: [] };
    let machine: string[] = [];
    // Equal processes differ by up to 15 % from start to start, so each round has new ones.
    for (let round = 1; round <= rounds; round++) {
      say(`Round ${round} of ${rounds}: starting three platforms.`);
      const { stages, load, stop } = await openAll(async (stops) => {
        const collector = await startCollector();
        stops.push(collector.close);
        const stages = {} as Record<Share, Stage>;
        for (const share of rotated(shares, round)) stages[share] = await startStage(share, collector.url, stops);
        return { stages, load: await startLoad(stops) };
      });
      const measure = async (share: Share, key: 'plain' | 'connected', limit: Partial<LoadJob>): Promise<Measured> => {
        const { platform, backlog, [key]: apiKey } = stages[share];
        const before = cpuOfAll(platform.processes);
        const result = await load({
          ...{ origin: platform.origin, method: 'POST', paths: [path], body, expectedStatus: 201, concurrency },
          ...{ headers: { 'X-API-Key': apiKey }, warmUpMs: 0, durationMs: 120_000, ...limit },
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
        say('Warming up.');
        await measureAll('plain', { durationMs: warmUpMs });
        await measureAll('connected', { requests: created });
        say('Measuring.');
        for (const [index, measured] of (await measureAll('plain', { durationMs: seconds * 1000 })).entries())
          requests[shares[index] as Share].push(measured);
        for (const [index, measured] of (await measureAll('connected', { requests: created })).entries())
          whole[shares[index] as Share].push(measured);
      } finally {
        say('Stopping.');
        await stop();
      }
    }
    const settings = [
      ...settingsOf(`${rounds} rounds of ${seconds} s, each with new platforms`, quietness),
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
