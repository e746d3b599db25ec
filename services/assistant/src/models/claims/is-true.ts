import { type LocalTime, localTimeOf } from '@mostrador/hours/clock';
import { toInstant } from '@mostrador/kit/rpc/validate';
import { knownMoments } from '../known-moments.ts';
import type { ModelRequest } from '../model.ts';
import { canBeAt, canBeSame, clocksIn, daysIn, type Moment } from '../moments.ts';
import { phrases } from '../phrases.ts';
import type { Effect } from './deeds.ts';
import type { Form } from './form.ts';
import { after, before } from './pattern.ts';

/** Whether a sentence tells of something that was done before this answer. */
const isBefore = new RegExp(`${before}(?:já|ya|already|previously)${after}`);

/** Sentences with which the server has confirmed an effect to the customer, in a message before. */
const toldBy: Readonly<Record<Effect, RegExp>> = {
  book: beginnings('booked'),
  move: beginnings('moved'),
  cancel: beginnings('cancelled'),
};

function beginnings(phrase: 'booked' | 'moved' | 'cancelled'): RegExp {
  const starts = Object.values(phrases).map((say) => say[phrase]('\n', '').split('\n')[0]);
  return new RegExp(`^(?:${starts.join('|')})`, 'mu');
}

/** What rows and messages of the store say of the customer's appointments. */
export type Known = {
  /** The tools of this turn that have changed an appointment. */
  readonly done: ReadonlySet<string>;
  readonly isTold: (effect: Effect) => boolean;
  readonly hasOne: boolean;
  readonly appointments: readonly Moment[];
  readonly changed: readonly Moment[];
  readonly today: LocalTime;
};

export function knownOf(request: Pick<ModelRequest, 'results' | 'tools' | 'conversation' | 'now' | 'timezone'>): Known {
  const { results, tools, conversation, now, timezone } = request;
  const { appointments, changed } = knownMoments(request);
  return {
    done: new Set(results.filter(isDone).map(({ name }) => name)),
    isTold: (effect) => conversation.some(({ from, text: said }) => from === 'store' && toldBy[effect].test(said)),
    hasOne: appointments.length > 0 || tools.some(({ name }) => name === 'cancel'),
    ...{ appointments, changed, today: localTimeOf(toInstant(now), timezone) },
  };
}

/** Whether rows or messages of the store say what a claim says, also of the time that it names. Pure. */
export const isTrue = (form: Form, sentence: string, known: Known): boolean =>
  isShown(form, sentence, known) && isItsTime(form, sentence, known);

function isShown({ kind, isActive }: Form, sentence: string, { done, isTold, hasOne }: Known): boolean {
  const earlier = !isActive || isBefore.test(sentence);
  switch (kind) {
    case 'book':
      return done.has('book') || done.has('move') || (earlier && (hasOne || isTold('book')));
    case 'move':
      return done.has('move') || (done.has('book') && done.has('cancel')) || (earlier && isTold('move'));
    case 'cancel':
      return done.has('cancel') || (earlier && isTold('cancel'));
    case 'has':
      return done.has('book') || done.has('move') || hasOne || isTold('book') || isTold('move');
  }
}

function isItsTime({ kind }: Form, sentence: string, { appointments, changed, today }: Known): boolean {
  const rows = kind === 'cancel' ? changed : [...changed, ...appointments];
  return rows.length === 0 || isTimeOf(sentence, rows, today);
}

const isDone = ({ output }: { readonly output: unknown }): boolean =>
  typeof output === 'object' && output !== null && 'appointment' in output;

/** Whether the times and days of a sentence are those of rows. A day and a time must be those of the same one. */
function isTimeOf(sentence: string, rows: readonly Moment[], today: LocalTime): boolean {
  const days = daysIn(sentence, today);
  const clocks = clocksIn(sentence);
  if (clocks.length > 0) return clocks.some((clock) => rows.some((row) => canBeAt(row, clock, days)));
  return days.length === 0 || rows.some((row) => days.some((day) => canBeSame(day, row.day)));
}
