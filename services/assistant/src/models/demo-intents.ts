// What the demo model reads in a text: fixed rules for Portuguese, Spanish and English. Texts are `plain`: lower case,
// without accents. All of it is pure.

import { weekdayNames } from './moments.ts';

/** What a lead wants done about an appointment. */
export type Intent = 'book' | 'move' | 'cancel';

export const plainOf = (text: string): string =>
  text.normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll('’', "'").toLowerCase().trim();

const asks =
  "(?:quero|queria|quiero|quisiera|gostaria|preciso|necesito|pode|podem|poderia|puedes|puede|podria|tenho que|tengo que|vou|voy a|me gustaria|i want|i need|i would like|i'd like|i have to|please|por favor|can you|could you)";
const mayI = '(?:posso|podemos|puedo|podria|consigo|da para|da pra|tem como|can i|can we|could i|could we|may i)';
const time = '(?:horarios?|hora|agendamento|cita|turno|vaga|consulta|reserva|appointment|booking|time|slot)';
const soon = '[^.?!]{0,40}?';
const day = `(?:hoje|amanha|hoy|manana|today|tomorrow|${weekdayNames.join('|')}|outro dia|otro dia|another day)`;
/** What a clause may begin with before an order. */
const begins = '^(?:(?:por favor|please|entao|bora|vamos|so|me|nos) )*';

/** Spanish writes it at the end of an order: `resérvame`, `cámbiala`. */
const it = '(?:me|nos)?(?:l[oa]s?)?';

const cancels = new RegExp(
  `\\b${asks}\\b${soon}\\b(?:cancelar|cancele|desmarcar|desmarque|anular|cancel)\\b|${begins}(?:cancela|cancele|cancelen|desmarca|desmarque|anula|cancel)${it}\\b${soon}\\b(?:meu|minha|mim|mi|me|my|please|por favor)\\b`,
);
/** An order that does not say whose it is must begin the text: "cancelar", but not "se eu não for, cancelar custa?" */
const cancelsAtFirst = new RegExp(`^(?:cancela|cancele|cancelar|desmarca|desmarque|desmarcar|anular?|cancel)${it}\\b`);
const changes = '(?:mud[ae]r?|tro(?:ca|car|que)|pass[ae]r?|mover?|cambi[ae]r?|change)(?:me)?(?:l[oa]s?)?';
const moves = new RegExp(
  `\\b(?:${asks}|${mayI})\\b${soon}\\b(?:remarcar|reagendar|reprogramar|reschedule|postpone|adiar)\\b|${begins}(?:remar(?:ca|que|car)|reagend(?:a|e|ar)|reprogram(?:a|e|ar)|reschedule)${it}\\b|\\b${changes}\\b${soon}\\b(?:${time}|(?:para|pra|al?|to) (?:a |o |el )?${day}|(?:o|de|el|the) (?:dia|day))\\b`,
);
const books = new RegExp(
  `\\b(?:${asks}|${mayI})\\b${soon}\\b(?:marcar|agendar|reservar|encaixar|book|schedule)\\b|${begins}(?:mar(?:ca|que|car)|agend(?:a|e|ar)|reserv(?:a|e|ar)|encaix(?:a|e|ar)|book)${it}\\b(?! d[eo]\\b)|\\b(?:${asks}|${mayI})\\b${soon}\\b(?:um|uma|un|una|an?|pedir) ${time}\\b|\\b(?:tem|teria|ha|hay|tienen|tienes|any|have)\\b[^.?!]{0,25}?\\b(?:horarios?|hora|vagas?|turnos?|citas?|slots?|appointments?)\\b(?! de\\b)|\\b(?:quais|que|cuales|which|what)\\b[^.?!]{0,15}?\\b(?:horarios|vagas|turnos|citas|slots|times)\\b(?! de\\b)[^.?!]{0,20}?\\b(?:tem|teria|ha|hay|tienen|tienes|livres|libres|free|available)\\b|\\b(?:are you free|have anything|can i (?:get|have|come))\\b${soon}\\b${day}\\b`,
);
/** Of Portuguese, `no` is "on the": "tem vaga no sábado?" So it counts where Spanish and English have it. */
const negates =
  /\b(?:nao|not|never|\w+n't|dont|cant)\b|(?:^|\b(?:y|pero|que|hoy|manana|ya|yo|todavia|mejor|i have|there is|with) )no\b/;

/**
 * What a text wants done. A clause that says what is not so wants nothing: "não vou poder ir, cancela pra mim" wants its second
 * one. Moving comes before booking, because "remarcar" also asks for a time.
 */
export function intentOf(plain: string): Intent | undefined {
  const clauses = plain
    .split(/[,;.!?¿¡\n]+/)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '' && !negates.test(clause));
  const wants = (pattern: RegExp) => clauses.some((clause) => pattern.test(clause));
  if (wants(moves)) return 'move';
  if (wants(cancels) || cancelsAtFirst.test(plain)) return 'cancel';
  return wants(books) ? 'book' : undefined;
}

const weekdayWords = weekdayNames.map((names) => new RegExp(`\\b(?:${names})(?:[- ]feira)?\\b`));

/** The weekday that a text names: 1 is Monday, 7 is Sunday. */
function weekdayOf(plain: string): number | undefined {
  const found = weekdayWords.findIndex((word) => word.test(plain));
  return found < 0 ? undefined : found + 1;
}

/** The day that a text names, in days from today. `weekday`: that of today. */
export function daysAheadOf(plain: string, weekday: number): number | undefined {
  if (/\b(?:depois de amanha|pasado manana|day after tomorrow)\b/.test(plain)) return 2;
  const withoutMorning = plain.replaceAll(/\b(?:por|de|en|a) la manana\b/g, '');
  if (/\b(?:amanha|manana|tomorrow)\b/.test(withoutMorning)) return 1;
  if (/\b(?:hoje|hoy|today)\b/.test(plain)) return 0;
  const named = weekdayOf(plain);
  return named && (named - weekday + 7) % 7;
}

export function partOfDayOf(plain: string): 'morning' | 'afternoon' | 'evening' | undefined {
  if (/\b(?:de manha|pela manha|(?:por|de|en|a) la manana|morning)\b/.test(plain)) return 'morning';
  if (/\b(?:tarde|afternoon)\b/.test(plain)) return 'afternoon';
  return /\b(?:noite|noche|evening)\b/.test(plain) ? 'evening' : undefined;
}

/** A time that the lead was offered, by the clock of the store. `time`: `HH:MM`. */
export type OfferedTime = { readonly offer: string; readonly date: string; readonly time: string };

const ordinals: readonly RegExp[] = [
  /\b(?:primeir[oa]|primer[oa]?|first)\b/,
  /\b(?:segund[oa](?!.feira)|second)\b/,
  /\b(?:terceir[oa]|tercer[oa]?|third)\b/,
  /\b(?:cuart[oa]|quart[oa](?!.feira)|fourth)\b/,
  /\b(?:quint[oa](?!.feira)|fifth)\b/,
];
const yes =
  /^(?:sim|isso|si|eso|es+[ae](?= ?(?:mesm[oa]|mism[oa])?$)|yes|that one|ok|okay|pode ser|puede ser|confirmo|claro|perfeito|perfecto|sure|that works)\b/;
/** A longer text says something else, too. */
const mostWords = 8;

/**
 * The offered time that a text accepts, such as "a primeira", "10h" and "pode ser às 10". Null: it accepts one, but does not
 * say which. Undefined: it accepts none.
 */
export function acceptedOf(
  plain: string,
  offers: readonly OfferedTime[],
  today: { readonly weekday: number; readonly dateAfter: (days: number) => string | undefined },
): OfferedTime | null | undefined {
  if (offers.length === 0 || !mayChoose(plain)) return undefined;
  const ahead = daysAheadOf(plain, today.weekday);
  const day = ahead === undefined ? undefined : today.dateAfter(ahead);
  const ofDay = day ? offers.filter(({ date }) => date === day) : [];
  const clock = clockOf(plain, offers.length);
  if (clock) {
    const among = day ? ofDay : offers;
    const exact = among.filter(({ time }) => clock.times.includes(time));
    const found =
      exact.length > 0 || clock.hasMinutes ? exact : among.filter(({ time }) => clock.hours.includes(time.slice(0, 2)));
    return found.length > 1 ? null : found[0];
  }
  // "2 pessoas" is no second offer.
  const number = /^\D{0,20}\b([1-9])\b(?! ?(?:pessoa|persona|people|person|dia|day|hora|hour))\D{0,20}$/.exec(
    plain,
  )?.[1];
  const place = number ? Number(number) - 1 : ordinals.findIndex((word) => word.test(plain));
  // "quinta" and "segunda" are also days. A day on which all of several times are does not say which.
  const saysDay = ofDay.length > 0 && (ofDay.length < offers.length || offers.length === 1);
  if (place >= 0 && !saysDay) return offers[place];
  if (/\b(?:ultim[oa]|last)\b/.test(plain)) return offers.at(-1);
  // Who asks for a time on a day asks for others.
  if (intentOf(plain)) return undefined;
  if (ofDay.length > 0) return ofDay.length === 1 ? ofDay[0] : null;
  if (!yes.test(plain)) return undefined;
  return offers.length === 1 ? offers[0] : null;
}

/** Whether a text may say which of some times the lead wants. */
function mayChoose(plain: string): boolean {
  const isQuestion = plain.includes('?') && !/\b(?:pode ser|podemos|puede ser|can we|can i)\b/.test(plain);
  return !isQuestion && !negates.test(plain) && plain.split(/\s+/).length <= mostWords;
}

/**
 * The time that a text asks for, as `HH:MM`: with the wish for an appointment, or in place of the offered times. Undefined: it
 * names none.
 */
export function wishedTimeOf(plain: string, intent: Intent | undefined, offers: number): string | undefined {
  if (intent !== undefined) return clockOf(plain, 24)?.times.at(-1);
  return offers > 0 && mayChoose(plain) ? clockOf(plain, offers)?.times.at(-1) : undefined;
}

/** The time of day that a text names. A bare number is the number of an offer, if there is one. */
function clockOf(plain: string, offers: number) {
  const pattern =
    /(\b(?:as|a las|las|at|para as) )?\b(\d{1,2})(?:[:h.](\d{2})|\s?(h|hs|hrs|horas?|o'clock))?(?:\s?(am|pm|(?:da|de la|at|in the) (?:manha|madrugada|manana|morning|tarde|afternoon|noite|noche|night|evening)))?\b/g;
  for (const [, before, digits = '', minutes, unit, part] of plain.matchAll(pattern)) {
    const hour = Number(digits);
    if (hour > 23 || Number(minutes ?? 0) > 59) continue;
    if (!before && !minutes && !unit && !part && hour <= offers) continue;
    const hours = hoursOf(digits, part).map((each) => String(each).padStart(2, '0'));
    return { hours, hasMinutes: minutes !== undefined, times: hours.map((each) => `${each}:${minutes ?? '00'}`) };
  }
  return undefined;
}

/** The hours from 0 to 23 that a written one may mean. "3" and "3:00" may be in the afternoon, "03:00" is before noon. */
function hoursOf(digits: string, part = ''): number[] {
  const hour = Number(digits);
  const isNight = /noite|noche|night|evening/.test(part);
  if (/am|manha|madrugada|manana|morning/.test(part) || (isNight && (hour < 6 || hour === 12)))
    return [hour === 12 ? 0 : hour];
  if (isNight || /pm|tarde|afternoon/.test(part)) return [hour < 12 ? hour + 12 : hour];
  return hour > 0 && hour < 8 && !digits.startsWith('0') ? [hour, hour + 12] : [hour];
}
