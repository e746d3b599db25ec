import { resolve } from 'node:path';
import { root } from '@mostrador/local-platform/paths';
import { startEmbedder } from '@mostrador/testing/providers/embeddings/embedder';
import type { Benchmark, BenchmarkOptions } from '../shared/benchmark.ts';
import type { LoadResult } from '../shared/load/job.ts';
import { startLoad } from '../shared/load/start-load.ts';
import { describeMachine, watchMachine } from '../shared/machine.ts';
import { startPlatform } from '../shared/platform.ts';
import { loadCells, settingsOf, targetsTable } from '../shared/report.ts';
import { rotated } from '../shared/statistics.ts';
import { openAll } from '../shared/stops.ts';
import { table } from '../shared/table.ts';
import { measureAgainst } from './against.ts';
import { openPlainSearches } from './plain.ts';
import { openSearches, questionCount } from './searches.ts';

const full = { rounds: 3, seconds: 10, passages: 20_000 };
const quickly = { rounds: 1, seconds: 3, passages: 2_000 };

const ways = { one: 'one caller', four: '4 callers', plain: 'both queries in plain SQL' } as const;
type Way = keyof typeof ways;
type Measured = Pick<LoadResult, 'perSecond' | 'p50Ms' | 'p99Ms'>;

/** `npm run bench -- retrieval`. */
export const retrieval: Benchmark<BenchmarkOptions & { against?: string }> = {
  name: 'retrieval',
  about:
    'Searches of 20,000 passages of one store by words and vectors, beside the same two queries in plain SQL.\n' +
    'Starts a separate platform and an embedder, and takes about three minutes.',
  addOptions: (command) =>
    command.option('--against <folder>', 'another checkout of this repository: only compares its searches with these'),
  async run({ quick, against, ...options }, run) {
    const { rounds, seconds, passages } = { ...(quick ? quickly : full), ...options };
    const plan = { rounds, seconds, passages };
    if (against !== undefined) {
      return { name: 'retrieval-against', report: await measureAgainst(resolve(against), plan, run) };
    }
    const { say, signal } = run;
    const quietness = watchMachine();
    const stage = await openAll(async (stops) => {
      say('Starting the platform and the embedder.');
      const platform = await startPlatform(root);
      stops.push(platform.stop);
      const embedder = await startEmbedder();
      stops.push(embedder.stop);
      return { platform, embedder, load: await startLoad(stops) };
    });
    const { platform } = stage;
    try {
      const machine = await describeMachine(platform);
      say(`Filling the store with ${passages.toLocaleString('en')} passages.`);
      const searches = await openSearches(stage, passages);
      const plain = await openPlainSearches(platform.databaseUrl, searches.storeId, searches.questions);
      const measure: Record<Way, (durationMs: number) => Promise<Measured>> = {
        one: (durationMs) => searches.run(1, durationMs),
        four: (durationMs) => searches.run(4, durationMs),
        plain: plain.run,
      };
      const results: Record<Way, Measured[]> = { one: [], four: [], plain: [] };
      try {
        for (let round = 0; round < rounds; round++) {
          for (const way of rotated(Object.keys(ways) as Way[], round)) {
            signal.throwIfAborted();
            const result = await measure[way](seconds * 1_000);
            results[way].push(result);
            say(`${ways[way]}: ${result.perSecond.toFixed(1)}/s, p99 ${result.p99Ms.toFixed(1)} ms.`);
          }
        }
      } finally {
        await plain.stop();
      }
      const targets = targetsTable([
        {
          what: `GET /knowledge/search in ${passages.toLocaleString('en')} passages, one caller, p99`,
          values: results.one.map(({ p99Ms }) => p99Ms),
          ...{ holds: '≤', limit: 60, unit: ' ms' },
        },
      ]);
      const rows = (Object.keys(ways) as Way[]).map((way) => [ways[way], ...loadCells(results[way])]);
      const settings = [
        ...settingsOf(`${rounds} rounds of ${seconds} s`, quietness),
        `${questionCount} questions of six words in turn, ${passages.toLocaleString('en')} passages of 90 words, vectors of 512 dimensions.`,
      ];
      return {
        name: 'retrieval',
        report: {
          ...{ settings, machine },
          sections: [
            ['Targets', targets],
            ['Searches', table(['', 'per second', 'p50', 'p99'], rows)],
          ],
        },
      };
    } finally {
      say('Stopping.');
      await stage.stop();
    }
  },
};
