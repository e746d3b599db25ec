import { startOfDay } from '@mostrador/hours/clock';
import type { OfferRow } from '../tools/offer.repository.ts';
import type { CallRow, ToolOutput } from '../tools/step.ts';

type StoredOffer = Pick<OfferRow, 'id' | 'starts_at' | 'title'>;

/** The offers of a search for times, as its stored result has them: their rows may be gone. Pure. */
export function offersIn(output: unknown, { timezone, title }: { timezone: string; title: string }): StoredOffer[] {
  const { times = [] } = output as { times?: readonly { offer: string; label: string }[] };
  return times.flatMap(({ offer: id, label }) => {
    const [, date, hours, minutes] = /(\d{4}-\d{2}-\d{2}) (\d{2}):(\d{2})$/.exec(label) ?? [];
    const midnight = date && startOfDay(date, timezone);
    if (!midnight) return [];
    return [{ id, title, starts_at: new Date(midnight.getTime() + (Number(hours) * 60 + Number(minutes)) * 60_000) }];
  });
}

/**
 * What a lead had been offered by the turns before, from the tool calls of each, the oldest turn first. What was booked or
 * moved had used up the offers before it. Pure.
 */
export function offeredBefore(
  turns: readonly (readonly (Pick<CallRow, 'tool'> & { readonly output: ToolOutput })[])[],
  reader: { readonly timezone: string; readonly title: string },
): StoredOffer[] {
  return turns.reduce<StoredOffer[]>((offered, calls) => {
    const last = calls.findLastIndex(({ tool, output }) => tool !== 'cancel' && 'appointment' in output);
    const found = calls.slice(last + 1).findLast(({ tool }) => tool === 'find_times');
    return [...(last >= 0 ? [] : offered), ...(found ? offersIn(found.output, reader) : [])];
  }, []);
}
