import { momentText } from '@mostrador/hours/clock';
import { toInstant } from '@mostrador/kit/rpc/validate';
import type { ToolResult } from '../models/model.ts';
import { languageOf, phrases } from '../models/phrases.ts';
import type { FoundTime } from './find-times.ts';
import type { OfferRow } from './offer.repository.ts';

type Reader = { readonly language: string; readonly timezone: string };

const momentOf = (moment: Date, { language, timezone }: Reader) => momentText(moment, { timezone, locale: language });

/** The sentences that confirm what the tools have done, made from the rows that they wrote. Pure. */
export function confirmations(results: readonly ToolResult[], reader: Reader): string[] {
  const say = phrases[languageOf(reader.language)];
  return results.flatMap(({ name, output }) => {
    const { appointment } = output as { appointment?: { title: string; scheduled_at: string } };
    if (!appointment) return [];
    const when = momentOf(toInstant(appointment.scheduled_at), reader);
    const sentence = { book: say.booked, move: say.moved, cancel: say.cancelled }[name as 'book'];
    return sentence ? [sentence(appointment.title, when)] : [];
  });
}

/** Whether a tool has booked, moved or cancelled an appointment. */
export const changedAppointment = ({ output }: Pick<ToolResult, 'output'>): boolean =>
  'appointment' in (output as object);

/** The ids of the appointments that the tools have booked, moved or cancelled, each once. Pure. */
export const changedAppointments = (results: readonly Pick<ToolResult, 'output'>[]): string[] => [
  ...new Set(
    results.filter(changedAppointment).map(({ output }) => (output as { appointment: { id: string } }).appointment.id),
  ),
];

/** The offers of the last search for times, in its order. Empty: it found none, or something was booked after it. */
export function offersToTell(results: readonly ToolResult[]): string[] {
  const last = results.findLast((result) => result.name === 'find_times' || changedAppointment(result));
  const { times = [] } = (last?.output ?? {}) as { times?: readonly FoundTime[] };
  return times.map(({ offer }) => offer);
}

/** The offers as a numbered list. */
export const offerList = (offers: readonly Pick<OfferRow, 'starts_at'>[], reader: Reader): string =>
  offers.map(({ starts_at }, index) => `${index + 1}. ${momentOf(starts_at, reader)}`).join('\n');
