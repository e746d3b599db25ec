import { cpus, totalmem } from 'node:os';
import { table } from '../../../bench/src/shared/table.ts';
import { breaks } from './breaks.ts';
import { damages } from './damages.ts';
import { figuresOf } from './report.ts';
import { holds, type Outcome } from './run.ts';

/** The page that shows a run, written by it. */
export function pageOf(command: string, seed: number, outcome: Outcome): string {
  const { faults, findings } = outcome;
  const kinds = [...Map.groupBy(faults, (name) => name)].toSorted(([one], [other]) => one.localeCompare(other));
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 1024 ** 3)} GiB`;
  return `# Reliability

What happens to acknowledged work when things die: the last run of \`npm run chaos\`, written by it.

The whole platform runs under continuous load over HTTP (appointments, leads, messages, follow-ups and their cancellation,
customers' messages with duplicates) while one fault follows another. A journal on the clients' side holds every answer;
what was not answered counts as unknown, and may be there or not. Nobody helps: whatever is killed is started again, as a
supervisor does. When the faults are over, what clients were told is compared with what is there: rows, workflows, events,
calendars, and what the providers took. PostgreSQL's own \`amcheck\` looks at every table and index.

\`\`\`sh
${command}
\`\`\`

Made on ${new Date().toISOString().slice(0, 10)} on ${machine}, which everything shared: clients, servers, and the platform.
The same seed chooses the same faults in the same order; how many requests come between two of them, no seed can say.

## Result

${holds(outcome) ? '**Nothing was lost, nothing was doubled, and everything held.**' : '**It failed.**'}

${table(
  ['', ''],
  figuresOf(seed, outcome).map(([name, figure]) => [name, String(figure)]),
)}

## What must hold

A check that cannot fail proves nothing. So at the end of each run ${damages.length} damages are done to a copy of what it
recorded, one at a time, at least one for every invariant, and each must be found. \`judge.test.ts\` does the same.
\`npm run chaos -- --breaks\` goes further: it runs the platform with ${breaks.length} breaks of its code, one at a time, at least one
for every invariant, and each must be reported by the invariant that it breaks.

${table(
  ['invariant', 'faults found'],
  findings.map(({ invariant, faults: found }) => [invariant, String(found.length)]),
)}

## Faults

${table(
  ['fault', 'times'],
  kinds.map(([name, times]) => [name, String(times.length)]),
)}
`;
}
