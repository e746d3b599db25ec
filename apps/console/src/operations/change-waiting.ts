import type { GiveUpWaiting, WaitingChange } from '../api/platform.ts';
import type { WaitingKind } from './operations-search.ts';

export type Act = 'retry' | 'give_up';

/** What a person chose: some of a kind by id, or all of it. */
export type Choice = { readonly kind: WaitingKind; readonly ids?: readonly string[] };

/** What became of a kind, or in a dry run: what would. */
export type Outcome = {
  readonly kind: WaitingKind;
  readonly done: number;
  /** How many were left as they are, by reason. */
  readonly skipped: ReadonlyMap<SkipReason, number>;
};
export type SkipReason = WaitingChange['skipped'][number]['why'];

type Ask = (body: GiveUpWaiting) => Promise<WaitingChange>;
type Options = { readonly dry_run: boolean; readonly unknown_as?: 'sent' | 'failed' | undefined };

/** The most ids of one request. */
const most = 500;

/** Asks for all that was chosen, kind by kind and part by part, and adds up the answers. */
export async function changeWaiting(ask: Ask, choices: readonly Choice[], options: Options): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { kind, ids } of choices) {
    const parts: WaitingChange[] = [];
    const said = { kind, dry_run: options.dry_run, ...(kind === 'message' && { unknown_as: options.unknown_as }) };
    if (ids) {
      for (let at = 0; at < ids.length; at += most) parts.push(await ask({ ...said, ids: ids.slice(at, at + most) }));
    } else {
      let cursor: string | undefined;
      do {
        const part = await ask({ ...said, filter: {}, cursor });
        parts.push(part);
        cursor = part.next_cursor ?? undefined;
      } while (cursor);
    }
    outcomes.push(sumOf(kind, parts));
  }
  return outcomes;
}

function sumOf(kind: WaitingKind, parts: readonly WaitingChange[]): Outcome {
  const skipped = new Map<SkipReason, number>();
  for (const { why } of parts.flatMap((part) => part.skipped)) skipped.set(why, (skipped.get(why) ?? 0) + 1);
  return { kind, done: parts.reduce((sum, part) => sum + part.done, 0), skipped };
}

/** The chosen items as requests: one for each kind. */
export function choicesOf(items: readonly { readonly kind: WaitingKind; readonly id: string }[]): Choice[] {
  const kinds = [...new Set(items.map(({ kind }) => kind))];
  return kinds.map((kind) => ({ kind, ids: items.filter((item) => item.kind === kind).map(({ id }) => id) }));
}
