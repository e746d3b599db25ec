import { markdownTable } from '../../docs/reference/markdown-table.ts';
import type { Kind, Language } from './conversation.ts';
import type { Said } from './customer.ts';

/** A conversation that was played once. No faults: it passed. */
export type Trial = {
  readonly faults: readonly string[];
  readonly transcript: readonly Said[];
  readonly ms: number;
  readonly calls: number;
  readonly tokens: { readonly input: number; readonly output: number };
};

export type Played = {
  readonly id: string;
  readonly kind: Kind;
  readonly language: Language;
  readonly trials: readonly Trial[];
};

/** What the price of a million tokens is, in any currency. Undefined: not known. */
export type Prices = { readonly input: number; readonly output: number } | undefined;

/** What a run of the evals writes to its file, and what a comparison reads. */
export type Results = {
  readonly name: string;
  readonly model: string;
  /** The model that played the customers. Undefined: they were scripted. */
  readonly customer?: string;
  readonly at: string;
  readonly trials: number;
  readonly prices?: Prices;
  readonly conversations: readonly Played[];
};

const passedAll = ({ trials }: Pick<Played, 'trials'>): boolean => trials.every(({ faults }) => faults.length === 0);

const shareOf = (some: number, all: number): string => `${some}/${all}`;

/** How many of all trials passed, and how many conversations passed in every trial (pass^k). */
function countsOf(played: readonly Played[]): string[] {
  const trials = played.flatMap((one) => one.trials);
  return [
    shareOf(trials.filter(({ faults }) => faults.length === 0).length, trials.length),
    shareOf(played.filter(passedAll).length, played.length),
  ];
}

/** A table by kind and language. Pure. */
export function tableOf({ conversations, trials }: Results): string {
  const rowsBy = (member: 'kind' | 'language') =>
    [...new Set(conversations.map((one) => one[member]))].map((value) => [
      value,
      ...countsOf(conversations.filter((one) => one[member] === value)),
    ]);
  return markdownTable(
    ['conversations', 'trials passed', `pass^${trials}`],
    [...rowsBy('kind'), ...rowsBy('language'), ['all', ...countsOf(conversations)]],
  );
}

/** What a customer and the store said, a line each. */
export const transcriptOf = (transcript: readonly Said[]): string =>
  transcript
    .map(({ from, text }) => `    ${`${from}:`.padEnd(9)} ${text.replaceAll('\n', '\n              ')}`)
    .join('\n');

/** Each failed conversation with its first failed trial. Pure. */
export const failuresOf = ({ conversations }: Results): string[] =>
  conversations.flatMap(({ id, trials }) => {
    const failed = trials.filter(({ faults }) => faults.length > 0);
    const [first] = failed;
    if (!first) return [];
    const count = trials.length > 1 ? ` (${failed.length} of ${trials.length} trials)` : '';
    return [`FAILED ${id}${count}\n  ${first.faults.join('\n  ')}\n${transcriptOf(first.transcript)}`];
  });

/**
 * The conversations that count as a regression. Pure. With a baseline: those that passed there in every trial. Without
 * one: all that failed.
 */
export function regressionsOf(results: Results, baseline?: Results): string[] {
  const passedBefore = baseline && new Set(baseline.conversations.filter(passedAll).map(({ id }) => id));
  return results.conversations
    .filter((one) => !passedAll(one) && (passedBefore?.has(one.id) ?? true))
    .map(({ id }) => id);
}

type Totals = { readonly input: number; readonly output: number; readonly calls: number; readonly ms: number };

function totalsOf({ conversations }: Results): Totals {
  const trials = conversations.flatMap((one) => one.trials);
  const sum = (of: (trial: Trial) => number) => trials.reduce((all, trial) => all + of(trial), 0);
  return {
    input: sum(({ tokens }) => tokens.input),
    output: sum(({ tokens }) => tokens.output),
    calls: sum(({ calls }) => calls),
    ms: sum(({ ms }) => ms) / Math.max(trials.length, 1),
  };
}

function costOf({ prices }: Results, { input, output }: Totals): string {
  if (!prices) return 'not known';
  return ((input * prices.input + output * prices.output) / 1_000_000).toFixed(4);
}

/** A page in Markdown that shows two runs side by side. Pure. */
export function comparisonOf(one: Results, other: Results): string {
  const both = [one, other] as const;
  const totals = both.map(totalsOf) as [Totals, Totals];
  const row = (what: string, of: (results: Results, totals: Totals) => string) => [
    what,
    ...both.map((results, place) => of(results, totals[place] as Totals)),
  ];
  const summary = markdownTable(
    ['', one.name, other.name],
    [
      row('model', ({ model }) => model),
      row('customers', ({ customer }) => customer ?? 'scripted'),
      row('run', ({ at }) => at),
      row('trials passed', ({ conversations }) => countsOf(conversations)[0] ?? ''),
      row('passed in every trial', ({ conversations, trials }) => `${countsOf(conversations)[1]} (k = ${trials})`),
      row('calls to the model', (_, { calls }) => String(calls)),
      row('tokens in', (_, { input }) => String(input)),
      row('tokens out', (_, { output }) => String(output)),
      row('cost', costOf),
      row('seconds of a conversation', (_, { ms }) => (ms / 1000).toFixed(1)),
    ],
  );
  const ids = [...new Set(both.flatMap(({ conversations }) => conversations.map(({ id }) => id)))];
  const pairs = ids.map((id) => ({
    id,
    found: both.map((run) => run.conversations.find((played) => played.id === id)),
  }));
  const cellOf = (played: Played | undefined): string =>
    played
      ? shareOf(played.trials.filter(({ faults }) => faults.length === 0).length, played.trials.length)
      : 'not played';
  const outcomes = markdownTable(
    ['conversation', one.name, other.name],
    pairs.map(({ id, found }) => [id, ...found.map(cellOf)]),
  );
  const differing = pairs.filter(({ found: [first, second] }) => cellOf(first) !== cellOf(second));
  const details = differing.flatMap(({ id, found }) => [
    `### ${id}`,
    ...found.flatMap((played, place) => {
      const shown = played?.trials.find(({ faults }) => faults.length > 0) ?? played?.trials[0];
      const faults =
        shown && shown.faults.length > 0 ? shown.faults.map((fault) => `- ${fault}`).join('\n') : 'Passed.';
      return shown ? [`**${both[place]?.name}**`, faults, `\`\`\`text\n${transcriptOf(shown.transcript)}\n\`\`\``] : [];
    }),
  ]);
  return [
    `# ${one.name} and ${other.name}`,
    summary,
    '## Conversations',
    outcomes,
    '## Where they differ',
    ...(details.length > 0 ? details : ['Nowhere.']),
    '',
  ].join('\n\n');
}
