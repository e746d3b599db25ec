import { cpus, totalmem } from 'node:os';
import { table } from '../../../bench/src/shared/table.ts';
import { breaks } from './breaks.ts';
import { damages } from './damages.ts';
import { figuresOf } from './report.ts';
import { holds, type Outcome } from './run.ts';

/** Renders the reliability page for a run. */
export function pageOf(command: string, seed: number, outcome: Outcome): string {
  const { faults, findings } = outcome;
  const kinds = [...Map.groupBy(faults, kindOf)].toSorted(([one], [other]) => one.localeCompare(other));
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 1024 ** 3)} GiB`;
  return `# Reliability

What happens to acknowledged work when processes and servers fail. \`npm run chaos -- --write\` writes this page.

The whole platform runs under continuous load over HTTP (appointments, leads, messages, follow-ups and their cancellation,
customers' messages with duplicates) while one fault follows another. The clients keep a journal of every answer.
A request without an answer has an unknown outcome: its effect may exist or not. The only help is a supervisor that
restarts processes. When the faults are over, the journal is compared with the rows, workflows, events and calendars,
and with the messages that the providers accepted. PostgreSQL's \`amcheck\` checks every table and index.
Every process connects to PostgreSQL over TLS with \`sslmode=verify-full\`, and none may end unless the run kills it.

\`\`\`sh
${command}
\`\`\`

Made on ${new Date().toISOString().slice(0, 10)} on ${machine}. Clients, servers and the platform shared this machine.
The same seed gives the same faults in the same order. The number of requests between two faults varies.

## Result

${holds(outcome) ? '**Nothing was lost or duplicated, and every invariant held.**' : '**The run failed.**'}

${table(
  ['', ''],
  figuresOf(seed, outcome).map(([name, figure]) => [name, String(figure)]),
)}

## What must hold

A check that cannot fail proves nothing. So at the end of each run, ${damages.length} violations are made in copies of its
record, one in each copy and at least one for each invariant. The invariants must report all of them.
\`judge.test.ts\` does the same. \`npm run chaos -- --breaks\` runs the platform with ${breaks.length} deliberate bugs, one at a time
and at least one for each invariant. The invariant that a bug breaks must report it.

${table(
  ['invariant', 'violations'],
  findings.map(({ invariant, faults: found }) => [invariant, String(found.length)]),
)}

## Faults

${table(
  ['fault', 'times'],
  kinds.map(([kind, names]) => [kind + placesOf(names), String(names.length)]),
)}
`;
}

/** The fault without its place: `latency` for `latency: crm → nats`. */
const kindOf = (name: string): string => name.split(': ')[0] ?? name;

function placesOf(names: readonly string[]): string {
  const places = new Set(names.filter((name) => name.includes(': '))).size;
  return places > 0 ? `, on ${places} connections` : '';
}
