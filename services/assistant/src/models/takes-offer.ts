import { localTimeOf } from '@mostrador/hours/clock';
import { toInstant } from '@mostrador/kit/rpc/validate';
import { knownMoments } from './known-moments.ts';
import type { ModelRequest } from './model.ts';
import { canBeAt, canBeSameClock, clocksIn, daysIn, type Moment, sentencesOf, sureClocksIn } from './moments.ts';
import { ownTexts } from './own-texts.ts';

/** A word by which a sentence offers a time, asks for an answer, or says what is not so. */
const offers =
  /(?:^|[^a-zà-ɏ])(?:t[eê]m|temos|tenho|há|hay|tenemos|tengo|have|has|livres?|libres?|free|open|vagos?|dispon\w*|available|se|si|if|ou|or|não|no|not|posso|podemos|puedo|pode|puede|can|could|quer|quiere|prefer\w*|would|confirm[ae]\w*|respon\w*|reply|diga|avise|let|próxim[oa]s?|next|earliest|soonest|primeir[oa]s?|primer[oa]?|sug[ei][a-z]*|recom[a-z]*|suggest|recommend|seria|sería)(?![a-zà-ɏ])/i;
/** A short question behind a sentence asks about it: "Amanhã às 10h. Pode ser?" */
const asks = /^(?:\S+ ){0,3}\S+\?/;

/**
 * Whether a text takes a time as agreed that was only offered, in whatever words: "See you tomorrow at 10!". It is the only
 * time that the text names, the sentence neither offers nor asks, and no tool of this turn has booked anything. Pure.
 */
export function takesOffer(
  text: string,
  request: Pick<ModelRequest, 'results' | 'tools' | 'timezone' | 'now' | 'passages' | 'agent'>,
): boolean {
  const { timezone, now } = request;
  const known = knownMoments(request);
  if (known.changed.length > 0) return false;
  const today = localTimeOf(toInstant(now), timezone);
  const sentences = sentencesOf(text);
  const named = sentences.flatMap((sentence, place) => {
    const days = daysIn(sentence, today);
    const clocks = days.length > 0 ? clocksIn(sentence) : sureClocksIn(sentence);
    return clocks.map((clock) => ({ clock, days, sentence, next: sentences[place + 1] ?? '' }));
  });
  const [one] = named;
  if (!one || named.length > 1 || one.sentence.includes('?') || asks.test(one.next) || offers.test(one.sentence)) {
    return false;
  }
  const isIt = (row: Moment) => canBeAt(row, one.clock, one.days);
  return (
    known.offers.some(isIt) &&
    !known.appointments.some(isIt) &&
    !ownTexts(request)
      .flatMap(clocksIn)
      .some((clock) => canBeSameClock(clock, one.clock))
  );
}
