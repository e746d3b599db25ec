import { localTimeOf } from '@mostrador/hours/clock';
import { toInstant } from '@mostrador/kit/rpc/validate';
import { knownMoments } from './known-moments.ts';
import type { ModelRequest } from './model.ts';
import {
  canBeAt,
  canBeSameClock,
  clocksIn,
  daysIn,
  type Moment,
  sentencesOf,
  sureClocksIn,
  wrongWeekdays,
} from './moments.ts';
import { foldAccents } from './number-words.ts';
import { ownTexts } from './own-texts.ts';

type Request = Pick<
  ModelRequest,
  'tools' | 'results' | 'timezone' | 'now' | 'passages' | 'agent' | 'conversation' | 'text'
>;

/** A sentence that offers no time, because it says that none is free. */
const offersNone =
  /(?:^|[^a-zà-ɏ])(?:(?:não|no|nunca|already) (?:temos|tem|há|atendemos|abrimos|funcionamos|é poss|está|estamos|tenemos|hay|atendemos|abrimos|trabajamos|es posible|está)|(?:not|isn['’]t|aren['’]t) (?:available|free|open|possible)|fechad|cerrad|closed|ocupad|indispon|no disponible|lotad|full|taken)/i;

/** A sentence that says what is not so. Without a day it offers no time. */
const denies = /(?:^|[^a-zà-ɏ])(?:não|nem|nunca|no|not|never|sem|sin|without|\w+n['’]t)(?![a-zà-ɏ])/i;

/**
 * Why a text tells a time that no one has offered: a time of day that is in no offer, appointment, passage, instruction or
 * message, or not on the day beside it, or a weekday that its date does not have. Undefined: it tells none. Pure. It knows
 * times and days of Portuguese, Spanish and English.
 */
export function untoldTime(text: string, request: Request): string | undefined {
  const { timezone, now, conversation, text: asked } = request;
  const today = localTimeOf(toInstant(now), timezone);
  const documents = ownTexts(request);
  const all = foldAccents([...documents, ...conversation.map((line) => line.text), asked].join('\n'));
  if (wrongWeekdays(text, today).some((found) => !all.includes(found)))
    return 'names a weekday that its date does not have';
  const sentences = sentencesOf(text)
    .map((sentence) => {
      const days = daysIn(sentence, today);
      if (days.length > 0) return { sentence, days, clocks: clocksIn(sentence) };
      return { sentence, days, clocks: denies.test(sentence) ? [] : sureClocksIn(sentence) };
    })
    .filter(({ sentence, clocks }) => clocks.length > 0 && !offersNone.test(sentence));
  if (sentences.length === 0) return undefined;
  const { appointments, changed, offers } = knownMoments(request);
  const said = conversation.map((line) => momentsOf(line.text, line.from, localTimeOf(toInstant(line.at), timezone)));
  const dated = [...appointments, ...changed, ...offers, ...said.flatMap((one) => one.dated)];
  const clocks = [...documents.flatMap(clocksOfDocument), ...clocksIn(asked), ...said.flatMap((one) => one.clocks)];
  const isTold = (clock: readonly number[], days: ReturnType<typeof daysIn>) =>
    clocks.some((one) => canBeSameClock(one, clock)) || dated.some((row) => canBeAt(row, clock, days));
  return sentences.some((one) => one.clocks.some((clock) => !isTold(clock, one.days)))
    ? 'names a time that was not offered'
    : undefined;
}

/** The times of a message. One of the store with a date, as in a list of offers, is of that day alone. */
function momentsOf(text: string, from: 'lead' | 'store', today: ReturnType<typeof localTimeOf>) {
  const [dated, clocks]: [Moment[], number[][]] = [[], []];
  for (const sentence of sentencesOf(text)) {
    const named = from === 'store' ? daysIn(sentence, today) : [];
    const weekdays = named.filter(({ day }) => day === undefined);
    // `terça-feira, 1 de dezembro` is one day.
    const days = named
      .filter(({ day }) => day !== undefined)
      .map((one) => (weekdays.length === 1 && named.length === 2 ? { ...weekdays[0], ...one } : one));
    for (const clock of clocksIn(sentence)) {
      if (days.length === 0) clocks.push(clock);
      else dated.push(...days.map((day) => ({ day, clock })));
    }
  }
  return { dated, clocks };
}

/** The times of a document, also those of a table or a range that has their unit once: `9 - 18h`. */
function clocksOfDocument(document: string): number[][] {
  return document.split('\n').flatMap((line) => {
    const clocks = clocksIn(line);
    if (clocks.length === 0) return [];
    const bare = [...line.matchAll(/(?<![\d.,:/])([01]?\d|2[0-3])(?![\d.,:/]\d|\d)/g)].map(([, hour]) => Number(hour));
    return [...clocks, ...bare.map((hour) => (hour <= 12 ? [(hour % 12) * 60, (hour % 12) * 60 + 720] : [hour * 60]))];
  });
}
