import type { Effect, Forms, Words } from './deeds.ts';
import type { Form } from './form.ts';
import { any, ending, patternOf, some, word } from './pattern.ts';
import { about, day } from './things.ts';

/** For whom it was done. */
const forYou = any(
  ...[
    '(?:[oa]s? )?(?:seu|sua|teu|tua)s?',
    'você',
    'vc',
    '(?:para|pra) (?:você|vc|ti)',
    'tus?',
    'sus?',
    'a usted',
    'lo',
    'la',
  ],
  `(?:para|pra) ${day}`,
);
const pronoun = any('te', 'lhe', 'le', 'lo', 'la', 'se l[oa]', 'me', 'os', 'as');
const team = any(
  ...[
    'a gente',
    '(?:a |nossa |a nossa )?equipe',
    'o (?:nosso )?time',
    'a loja',
    'o sal[ãa]o',
    'o sistema',
    'a recepção',
  ],
  ...['el (?:nuestro )?equipo', 'nuestro equipo', 'la tienda', 'el sistema', 'minha colega', 'meu colega', 'mi colega'],
);
const enTeam = any(
  '(?:our|the) team',
  'the (?:store|shop|salon|system|clinic)',
  '(?:my|a) colleague',
  'they',
  'reception',
);

/** The claims of who has done it: "I have booked it", "our team has moved you". */
export function activeOf(kind: Effect, { romance, weakRomance, english, weakEnglish, noun }: Words): Form[] {
  const by = ({ i, we, others, infinitive, done }: Forms): string[] => [
    `(?:${pronoun} )?${any(...i)}`,
    // Also the present of a rule, as in "we book from Monday to Friday". So it needs whom it was done for.
    `${any(...we)} ${forYou}`,
    `${any('te', 'le', 'lhe')} ${any(...we)}`,
    `(?:acabei|acabamos|acabo|acaba|consegui|conseguimos|logré|pude|pudimos|logramos)(?: de)? (?:${pronoun} )?${any(...infinitive)}(?:lo|la|te|le|se)*`,
    `(?:he|hemos|ha|han|tenho|temos|hube) ${any(...done)}${ending}`,
    `${team} (?:${pronoun} )?${any(...others)}`,
  ];
  const enBy = (done: readonly string[]) =>
    `(?:i|we|${enTeam})(?:['’]ve| have| has|['’]m| am| are)? (?:gone ahead and |went ahead and )?(?:have |had )?${any(...done)}`;
  return [
    {
      ...{ kind, isActive: true },
      pattern: patternOf(
        ...by(romance),
        enBy(english),
        `se (?:te |le )?${any(...romance.others.filter((form) => form.endsWith('ó')))}`,
        `(?:deixei|dejé|deixamos)${some(4)} ${any(...romance.done)}${ending}`,
        `(?:i|we)(?:['’]ve| have)? (?:got|gotten|put|had|have) (?:you|it|that|your${some(4)}) ${any(...english, ...(kind === 'book' ? ['down for', 'in (?:for|at|on)'] : []))}`,
        `(?:fiz|realizei|efetuei|concluí|finalizei|hice|realicé|completé|made|completed) (?:[oa] |el |la |the |your |an? |[oa] seu |[oa] sua |tu |su )?${any(...noun)}`,
        `consider (?:it|yourself|your ${word}) ${any(...english)}`,
      ),
    },
    { kind, isActive: true, pattern: patternOf(...by(weakRomance), enBy(weakEnglish)), ahead: about },
  ];
}
