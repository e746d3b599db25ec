import type { Effect, Words } from './deeds.ts';
import type { Form } from './form.ts';
import { any, before, ending, patternOf, some, word } from './pattern.ts';
import { things, your } from './things.ts';

const be = any(
  ...[
    'está',
    'estão',
    'tá',
    'foi',
    'foram',
    'ficou',
    'fica',
    'ficam',
    'ficaram',
    'encontra-se',
    'se encontra',
    'están',
  ],
  ...[
    'quedó',
    'queda',
    'quedaron',
    'quedan',
    'fue',
    'fueron',
    'ha sido',
    'han sido',
    'ha quedado',
    'acaba de ser',
    'segue',
    'sigue',
  ],
);
const enBe = "(?:['’]s(?: been)?| (?:is|are|was|were|has been|have been|got))";
const theAppointment = any(
  'agendamento',
  'consulta',
  'reserva',
  'compromisso',
  'cita',
  'appointment',
  'booking',
  'reservation',
  'visit',
);
const definite = any('[oa]s?', 'el', 'l[oa]s?', 'ess[ea]', 'est[ea]', 'aquel[ea]');
const enDefinite = any('the', 'that', 'this');

/** Not "before the booked appointment" and "to have your appointment confirmed". */
const notOf =
  /(?<!(?:^|[^a-zà-ɏ])(?:de|del|da|do|of|before|to (?:have|get)) (?:[ao] |la |el |the |your |(?:[ao] )?(?:sua|seu|su) |tu )?)$/;
/** What a claim without a subject stands behind. */
const opening = new RegExp(
  `(?:^|[.!?:;,\\n—–]|${before}(?:e|y|and|que|that|pois|porque|because|então|so) )["“«*_~¡✅\\s-]{0,4}(?:(?:pront[oa]|listo|ok) )?$`,
);
/** What a participle stands before that is a whole sentence: "Marcado para amanhã!" */
const standing =
  /^\s*(?:[!.:,✅]|🎉|👍|$)|^ (?:para|pra|com|con|n[oa]|a las?|[àa]s|el|em|en|hoje|amanhã|mañana|hoy|sexta|for|at|on|to|in|you|tomorrow|today)(?![a-zà-ɏ])/;

/** The claims that name what was done: "your appointment is booked", "Booked!". */
export function passiveOf(kind: Effect, { romance, weakRomance, english, weakEnglish, noun }: Words): Form[] {
  const isBook = kind === 'book';
  const done = `${any(...romance.done, ...(isBook ? ['confirmad', 'garantid'] : []))}${ending}`;
  const enDone = any(...english, ...(isBook ? ['confirmed', 'secured'] : []));
  const ended = any(
    ...[
      'feit[oa]',
      'realizad[oa]',
      'concluíd[oa]',
      'efetuad[oa]',
      'hech[oa]',
      'completad[oa]',
      'exitos[oa]',
      'com sucesso',
    ],
    ...[
      'con éxito',
      'done',
      'completed?',
      'successful',
      'confirmad[oa]',
      'confirmed',
      ...(isBook ? [done, enDone] : []),
    ],
  );
  return [
    {
      kind,
      pattern: patternOf(
        `${your}${some(6)} ${be} ${done}`,
        `${your}${some(6)}${enBe} ${enDone}`,
        // Not "that time is booked", which is of another customer.
        ...(isBook
          ? [
              `${definite} ${theAppointment}${some(4)} ${be} (?:${done}|feit[oa])`,
              `the ${theAppointment}${some(4)}${enBe} ${enDone}`,
            ]
          : [`${definite}${some(5)} ${be} ${done}`, `${enDefinite}${some(5)}${enBe} ${enDone}`]),
        `${any('você', 'vc', 'usted')} ${be} ${done}`,
        `${any('estás', 'quedas', 'quedaste', 'fuiste', 'ficaste')} ${done}`,
        `you(?:['’]re|['’]ve been| are| have been| were) ${any(enDone, ...(isBook ? ['down for', 'set for', 'on the (?:books|calendar)'] : []))}`,
        `${any(...romance.others)}-se ${your}`,
        `(?:it|that|everything)(?:['’]s| is| has| was)(?: been| now| all)${isBook ? '+' : '*'} ${enDone}`,
      ),
    },
    {
      ...{ kind, within: things },
      pattern: patternOf(
        `(?:${your}|${definite})${some(7)} ${be} ${any(...weakRomance.done)}${ending}`,
        `(?:${your}|${enDefinite})${some(7)}${enBe} ${any(...weakEnglish)}`,
      ),
    },
    {
      ...{ kind, behind: notOf },
      pattern: patternOf(`${any(...noun)}(?: d[eo] ${word})? (?:foi |está |fue |is |was |has been )?${ended}`),
    },
    // Without a subject, at the beginning: "Está agendado para amanhã", "Marcado!"
    { kind, pattern: patternOf(`${be} ${done}`), behind: opening },
    { kind, pattern: patternOf(done, enDone), behind: opening, ahead: standing },
  ];
}
