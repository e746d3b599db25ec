import { root } from '@mostrador/local-platform/paths';
import { startEmbedder } from '@mostrador/testing/providers/embeddings/embedder';
import type { BenchmarkRun } from '../shared/benchmark.ts';
import type { LoadResult } from '../shared/load/job.ts';
import { startLoad } from '../shared/load/start-load.ts';
import { describeMachine, watchMachine } from '../shared/machine.ts';
import { startPlatform } from '../shared/platform.ts';
import { cpuMsEach, cpuOfAll } from '../shared/processes.ts';
import { processorTime } from '../shared/processor-time.ts';
import { latencyCells, type Report, settingsOf } from '../shared/report.ts';
import { rotated } from '../shared/statistics.ts';
import { openAll } from '../shared/stops.ts';
import { table } from '../shared/table.ts';
import { openSearches, type Searches } from './searches.ts';

type Plan = { readonly rounds: number; readonly seconds: number; readonly passages: number };
type Measured = LoadResult & { readonly cpuMs: Record<string, number> };
type Side = { readonly name: 'before' | 'after'; readonly searches: Searches; readonly measured: Measured[] };

/** `npm run bench -- retrieval --against <folder>`: one caller asks that checkout and this one, in turn. */
export async function measureAgainst(
  before: string,
  { rounds, seconds, passages }: Plan,
  { say, signal }: BenchmarkRun,
): Promise<Report> {
  const quietness = watchMachine();
  say('Starting and filling both platforms.');
  const stage = await openAll(async (stops) => {
    const embedder = await startEmbedder();
    stops.push(embedder.stop);
    const load = await startLoad(stops);
    const open = async (name: Side['name'], checkout: string): Promise<Side> => {
      const platform = await startPlatform(checkout);
      stops.push(platform.stop);
      return { name, measured: [], searches: await openSearches({ platform, embedder, load }, passages) };
    };
    return { sides: [await open('before', before), await open('after', root)] };
  });
  try {
    const [old, own] = stage.sides as [Side, Side];
    const machine = await describeMachine(own.searches.platform);
    for (let round = 0; round < rounds; round++) {
      for (const { name, searches, measured } of rotated(stage.sides, round)) {
        signal.throwIfAborted();
        const { processes } = searches.platform;
        const used = cpuOfAll(processes);
        const result = await searches.run(1, seconds * 1_000);
        measured.push({ ...result, cpuMs: cpuMsEach(used, processes, result.sent) });
        say(`${name}: p50 ${result.p50Ms.toFixed(1)} ms, p99 ${result.p99Ms.toFixed(1)} ms.`);
      }
    }
    const turns = `${rounds} rounds of ${seconds} s; both versions run all the time and take turns`;
    const columns = stage.sides.map(({ name, measured }) => ({ title: name, measured }));
    return {
      ...{ settings: settingsOf(turns, quietness), machine },
      sections: [
        [
          `One caller, ${passages.toLocaleString('en')} passages`,
          table(
            ['', 'p50', 'p99'],
            [old, own].map(({ name, measured }) => [name, ...latencyCells(measured)]),
          ),
        ],
        ['Processor time for one search, in milliseconds', processorTime(columns)],
      ],
    };
  } finally {
    say('Stopping.');
    await stage.stop();
  }
}
