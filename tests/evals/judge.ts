import { isDeepStrictEqual } from 'node:util';
import type { Ending, LocalMoment } from './conversation.ts';

/** What a conversation ended with, as the API shows it. */
export type EndState = {
  /** By time. */
  readonly appointments: readonly (LocalMoment & { readonly status: string })[];
  readonly handedOver: boolean;
  /** In how many days each is due. */
  readonly followups: readonly number[];
  /** The members of the lead that have changed. */
  readonly lead: Readonly<Record<string, unknown>>;
  /** What the customer read, in order. */
  readonly replies: readonly string[];
  /** The titles of the documents that answers are made from. */
  readonly cited: readonly string[];
  readonly lastIsSilent: boolean;
};

/** Texts are compared without case, accents, marks and double spaces. */
const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}|[*_~“”"']/gu, '')
    .replaceAll(/\s+/g, ' ')
    .toLowerCase();

/** What of an ending does not hold, in words. Empty: all of it holds. Pure. */
export function judge(ending: Ending, state: EndState): string[] {
  const { appointments = [], handed_over = false, followups = [], lead = {}, told = [], never_told = [] } = ending;
  const replies = plain(state.replies.join('\n'));
  const faults: string[] = [];
  const expectSame = (what: string, expected: unknown, found: unknown) => {
    if (!isDeepStrictEqual(found, expected)) {
      faults.push(`${what}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`);
    }
  };
  const booked = appointments.map(({ day, time, status = 'scheduled' }) => ({ day, time, status }));
  expectSame('appointments', booked, state.appointments);
  expectSame('handed_over', handed_over, state.handedOver);
  expectSame('followups', followups, state.followups);
  expectSame('lead', lead, state.lead);
  for (const fact of told) {
    const forms = typeof fact === 'string' ? [fact] : fact;
    if (!forms.some((form) => replies.includes(plain(form)))) faults.push(`told: nothing says ${forms.join(' or ')}`);
  }
  for (const text of never_told) if (replies.includes(plain(text))) faults.push(`never_told: a reply says ${text}`);
  if (ending.cites !== undefined && !state.cited.some((title) => plain(title) === plain(ending.cites as string))) {
    faults.push(`cites: no answer is made from ${ending.cites}, but from ${state.cited.join(', ') || 'nothing'}`);
  }
  if (ending.silent && !state.lastIsSilent) faults.push('silent: the last message got an answer');
  return faults;
}
