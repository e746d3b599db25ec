import { join } from 'node:path';
import { root } from '@mostrador/local-platform/paths';
import { startPeer } from '@mostrador/local-platform/peer';
import type { Benchmark } from '../shared/benchmark.ts';
import type { LoadJob, LoadResult } from '../shared/load/job.ts';
import { describeMachine, watchMachine } from '../shared/machine.ts';
import { startPlatform } from '../shared/platform.ts';
import { loadCells, perSecond, settingsOf, spread, targetsTable } from '../shared/report.ts';
import { ratios, rotated } from '../shared/statistics.ts';
import { openAll } from '../shared/stops.ts';
import { table } from '../shared/table.ts';

const full = { rounds: 3, seconds: 5, appointments: 10_000 };
const quickly = { rounds: 1, seconds: 2, appointments: 2_000 };
const bookingConcurrency = 32;
const searchConcurrency = 8;
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** Tomorrow at midnight. */
const firstMs = (Math.floor(Date.now() / dayMs) + 1) * dayMs;

const ways = {
  without: 'without rules',
  reject: 'with `overlap: reject`',
  search: 'a year of free times',
  empty: 'a year without appointments',
  full: 'a year without a free time',
} as const;
type Way = keyof typeof ways;

/** `npm run bench -- booking`. */
export const booking: Benchmark = {
  name: 'booking',
  about:
    'Bookings per second in a store that rejects overlaps, beside those of a store without rules, and the search for free\n' +
    'times in a year with 10,000 appointments, in an empty one and in a full one. Starts a separate platform, and takes about\n' +
    'three minutes.',
  addOptions: (command) => command,
  async run({ quick, ...options }, { say, signal }) {
    const { rounds, seconds, appointments } = { ...(quick ? quickly : full), ...options };
    const quietness = watchMachine();
    const { platform, load, stop } = await openAll(async (stops) => {
      say('Starting the platform.');
      const platform = await startPlatform(root);
      stops.push(platform.stop);
      const load = await startPeer(join(import.meta.dirname, '../shared/load/main.ts'));
      stops.push(load.stop);
      return { platform, load };
    });
    try {
      const machine = await describeMachine(platform);
      const { origin } = platform;
      const newHeaders = async () => ({
        'X-API-Key': (await platform.newStore({})).key,
        'content-type': 'application/json',
      });
      const headers = {
        ...{ without: await newHeaders(), reject: await newHeaders() },
        ...{ search: await newHeaders(), empty: await newHeaders(), full: await newHeaders() },
      };
      const setRules = async (way: Way, rules: object) => {
        const answer = await fetch(`${origin}/integrations/v1/booking/rules`, {
          method: 'PUT',
          headers: headers[way],
          body: JSON.stringify({ overlap: 'reject', ...rules }),
        });
        if (answer.status !== 200) throw new Error(`the rules were answered ${answer.status}`);
      };
      await setRules('reject', { capacity: 100 });
      const hours = [1, 2, 3, 4, 5, 6].map((weekday) => ({ weekday, from: '08:00', to: '18:00' }));
      await setRules('search', { capacity: 5, hours, horizon_days: 400 });
      for (const way of ['empty', 'full'] as const) await setRules(way, { capacity: 1, hours, horizon_days: 400 });
      const booking = (
        way: Way,
        starts: readonly number[],
        duration_minutes = 5,
      ): Omit<LoadJob, 'concurrency' | 'durationMs' | 'warmUpMs'> => ({
        ...{ origin, method: 'POST', paths: ['/integrations/v1/appointments'], headers: headers[way] },
        bodies: starts.map((at) =>
          JSON.stringify({ title: 'Eye test', scheduled_at: new Date(at).toISOString(), duration_minutes }),
        ),
        expectedStatus: 201,
      });
      say(`Filling a year with ${appointments.toLocaleString('en')} appointments.`);
      const openDays = Array.from({ length: 365 }, (_, day) => firstMs + day * dayMs).filter(
        (at) => new Date(at).getUTCDay() !== 0,
      );
      const scattered = Array.from({ length: appointments }, (_, index) => {
        const day = openDays[index % openDays.length] as number;
        return day + (9 * 60 + (Math.floor(index / openDays.length) % 96) * 5) * minuteMs;
      });
      const fill = (way: Way, starts: readonly number[], minutes?: number) =>
        load.call<LoadResult>('run', {
          ...{ ...booking(way, starts, minutes), concurrency: bookingConcurrency },
          ...{ warmUpMs: 0, durationMs: 600_000, requests: starts.length },
        } satisfies LoadJob);
      await fill('search', scattered);
      await fill(
        'full',
        openDays.flatMap((day) => Array.from({ length: 10 }, (_, hour) => day + (8 + hour) * 60 * minuteMs)),
        60,
      );
      // Every five minutes of a year, in a scattered order.
      const starts = Array.from({ length: 105_120 }, (_, index) => firstMs + ((index * 7919) % 105_120) * 5 * minuteMs);
      const range = `from=${new Date(firstMs).toISOString()}&to=${new Date(firstMs + 365 * dayMs).toISOString()}`;
      const searching = (way: Way): Omit<LoadJob, 'durationMs' | 'warmUpMs'> => ({
        ...{ origin, method: 'GET', headers: headers[way], expectedStatus: 200, concurrency: searchConcurrency },
        paths: [`/integrations/v1/availability?${range}&duration_minutes=60`],
      });
      const jobs: Record<Way, Omit<LoadJob, 'durationMs' | 'warmUpMs'>> = {
        without: { ...booking('without', starts), concurrency: bookingConcurrency },
        reject: { ...booking('reject', starts), concurrency: bookingConcurrency },
        ...{ search: searching('search'), empty: searching('empty'), full: searching('full') },
      };
      const results: Record<Way, LoadResult[]> = { without: [], reject: [], search: [], empty: [], full: [] };
      for (let round = 0; round < rounds; round++) {
        for (const way of rotated(Object.keys(ways) as Way[], round)) {
          signal.throwIfAborted();
          const job = { ...jobs[way], warmUpMs: 1_000, durationMs: seconds * 1_000 };
          const result = await load.call<LoadResult>('run', job);
          results[way].push(result);
          say(`${ways[way]}: ${Math.round(result.perSecond)}/s, p99 ${result.p99Ms.toFixed(1)} ms.`);
        }
      }
      const targets = targetsTable([
        {
          what: 'bookings/s with `overlap: reject` ÷ without rules',
          values: ratios(perSecond(results.reject), perSecond(results.without)),
          ...{ holds: '≥', limit: 0.8 },
        },
        {
          what: `GET /availability over a year, p99 at concurrency ${searchConcurrency}`,
          values: results.search.map(({ p99Ms }) => p99Ms),
          ...{ holds: '≤', limit: 50, unit: ' ms' },
        },
        {
          what: `the same where every hour of the year is taken`,
          values: results.full.map(({ p99Ms }) => p99Ms),
          ...{ holds: '≤', limit: 50, unit: ' ms' },
        },
      ]);
      const rows = (Object.keys(ways) as Way[]).map((way) => [ways[way], ...loadCells(results[way])]);
      const fullToEmpty = (['p50Ms', 'p99Ms'] as const).map((part) =>
        spread(
          ratios(
            results.full.map((each) => each[part]),
            results.empty.map((each) => each[part]),
          ),
        ),
      );
      const settings = [
        ...settingsOf(`${rounds} rounds of ${seconds} s`, quietness),
        `${appointments.toLocaleString('en')} appointments in the year of the search, whose answer has its first 500 free times.`,
      ];
      return {
        name: 'booking',
        report: {
          ...{ settings, machine },
          sections: [
            ['Targets', targets],
            ['Requests', table(['', 'per second', 'p50', 'p99'], rows)],
            ['A year without a free time ÷ a year without appointments', table(['p50', 'p99'], [fullToEmpty])],
          ],
        },
      };
    } finally {
      say('Stopping.');
      await stop();
    }
  },
};
