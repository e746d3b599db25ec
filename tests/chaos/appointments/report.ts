import { holds, latenessMs, type Outcome } from './run.ts';

const shownOfEach = 20;

/** What was done, acknowledged, lost and doubled. */
export function reportOf(seed: number, outcome: Outcome): string {
  const { faults, journal, findings, drainedSeconds } = outcome;
  const { counts, entries, latestMs } = journal;
  const kinds = Map.groupBy(faults, (name) => name);
  const unresolved = entries.filter(({ acknowledged }) => acknowledged === undefined);
  const figures: [string, string | number][] = [
    ['seed', seed],
    ['faults', `${faults.length} of ${kinds.size} kinds`],
    ['requests', counts.requests],
    ['acknowledged', `${counts.acknowledged} (${counts.replayed} of them replays)`],
    ['unavailable', `${counts.unavailable} (503: nothing was done)`],
    ['unknown', `${counts.unknown} (504, broken connections)`],
    ['appointments', `${findings.rows} rows; ${entries.length} keys, ${unresolved.length} given up by their clients`],
    ['changes', counts.changes],
    ['workflows', `${findings.carried} with ${findings.runs} runs`],
    ['drained', `${drainedSeconds.toFixed(1)} s after the last fault`],
    [
      'slowest answer',
      `${latestMs > 0 ? `${latestMs.toFixed(0)} ms after` : `${(-latestMs).toFixed(0)} ms before`} its deadline`,
    ],
    ['lost', findings.lost.length],
    ['doubled', findings.doubled.length],
    ['other faults', findings.broken.length + journal.unexpected.length],
  ];
  return [
    '',
    ...figures.map(([name, value]) => `${name.padEnd(16)}${value}`),
    ...list('Lost', findings.lost),
    ...list('Doubled', findings.doubled),
    ...list('Does not hold', findings.broken),
    ...list('Unexpected', journal.unexpected),
    ...(latestMs > latenessMs ? ['', `An answer came more than ${latenessMs} ms after its deadline.`] : []),
    '',
    holds(outcome) ? 'Nothing was lost or doubled, and everything held.' : 'FAILED',
  ].join('\n');
}

const list = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0
    ? []
    : [
        '',
        `${title}:`,
        ...lines.slice(0, shownOfEach).map((line) => `  ${line}`),
        ...(lines.length > shownOfEach ? [`  … and ${lines.length - shownOfEach} more`] : []),
      ];
