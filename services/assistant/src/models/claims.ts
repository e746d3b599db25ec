import { localTimeOf } from '@mostrador/hours/clock';
import { toInstant } from '@mostrador/kit/rpc/validate';
import { knownMoments } from './known-moments.ts';
import type { ModelRequest } from './model.ts';
import { canBeAt, canBeSame, clocksIn, daysIn, type Moment, sentencesOf } from './moments.ts';
import { phrases } from './phrases.ts';

/** What a claim says has happened to an appointment. `has`: the customer has one. */
type Effect = 'book' | 'move' | 'cancel';
type Kind = Effect | 'has';

/** One of these forms. */
const any = (...forms: readonly string[]): string => `(?:${forms.join('|')})`;
const before = String.raw`(?<![a-zà-ɏ])`;
const after = String.raw`(?![a-zà-ɏ])`;
const word = String.raw`[0-9a-zà-ɏ:]+`;

/** Words without a meaning of their own, which may stand between a negation or a condition and a claim. */
const little = any(
  ...['eu', 'yo', 'os?', 'as?', 'uma?', 'los?', 'las?', 'el', 'una?', 'lhe', 'te', 'les?', 'se', 'me', 'nos'],
  ...['que', 'the', 'your?', 'i', 'we', 'it', 'nós', 'você', 'usted', 'seus?', 'suas?', 'te?u', 'tua', 'sus?', 'have'],
  ...['has', 'been', 'they'],
);
const negations = [
  'não',
  'nunca',
  'nem',
  'jamais',
  'jamás',
  'tampoco',
  'not',
  'never',
  'nothing',
  "(?:have|has|is|was)n['’]t",
];
const conditions = [
  ...['se', 'quando', 'caso', 'assim que', 'depois que', 'antes que', 'logo que', 'até que', 'uma vez que', 'para que'],
  ...['si', 'cuando', 'en cuanto', 'después de que', 'antes de que', 'hasta que', 'una vez que', 'después que'],
  ...['if', 'when', 'once', 'after', 'before', 'until', 'unless', 'whether', 'as soon as', 'so that', 'in case'],
];
/** The text before a claim that is none. */
const notMeant = new RegExp(`${before}${any(...negations, 'no', ...conditions)}(?: ${little}){0,3} $`);
/** A claim with a negation in it: `tu cita no fue cancelada`. In Portuguese, `no` also means "on the". */
const negated = new RegExp(`${before}(?:${any(...negations)}${after}|no (?:est|fue|qued|ha|he|se )|no longer)`);
/** The text after a claim that tells a rule, such as "is confirmed only after you pay". */
const rule = new RegExp(
  `^ ${any(
    ...[
      'somente',
      's[óo]',
      'apenas',
      'depois',
      'após',
      'assim que',
      'quando',
      'mediante',
      'se',
      'solo',
      'sólo',
      'después',
    ],
    ...['cuando', 'si', 'únicamente', 'only', 'once', 'after', 'when', 'if', 'upon', 'until', 'by'],
  )}${after}`,
);

/** What a customer has at a store. */
const thing = `${any(
  ...['hor[áa]rios?', 'agendamentos?', 'consultas?', 'reservas?', 'sess(?:ão|ões)', 'visitas?', 'compromissos?'],
  ...['marcação', 'citas?', 'turnos?', 'horas?', 'reservaci(?:ón|ones)', 'sesi(?:ón|ones)', 'appointments?'],
  ...['bookings?', 'reservations?', 'visits?', 'slots?', 'sessions?'],
)}(?! d[eo] (?:funcionamento|atendimento|apertura|abertura|atención))`;
const weekday = any(
  ...['segunda', 'terça', 'quarta', 'quinta', 'sexta', 'sábado', 'domingo', 'lunes', 'martes', 'miércoles', 'jueves'],
  ...['viernes', '(?:mon|tues|wednes|thurs|fri|satur|sun)day'],
);
const day = any(
  'amanhã',
  'hoje',
  'mañana',
  'hoy',
  'tomorrow',
  'today',
  weekday,
  'd[ií]a \\d',
  '(?:[àa]s|a las?|at) \\d',
  '\\d{1,2} ?[h:]',
);
/**
 * The text after a verb that has other meanings, too. It means an appointment only with one, or with its new time.
 */
const about = new RegExp(
  `^ (?:(?!(?:sobre|acerca|about|para|pra|for|of|com|con|with)${after})${word} ){0,3}?${thing}|^[^.!?\\n]{0,40}? (?:para|pra|a|al|el|to|on|for) (?:[ao] |el |la |the )?${day}`,
);

/** Where a language puts what has been done: into the verb of the speaker, of another one, and a participle. */
type Forms = {
  readonly i: readonly string[];
  readonly we: readonly string[];
  readonly others: readonly string[];
  readonly infinitive: readonly string[];
  /** Of Portuguese and Spanish without the ending `o`, `a`, `os`, `as`. */
  readonly done: readonly string[];
};
/** `weak`: those that mean an appointment only beside one. */
type Words = {
  readonly romance: Forms;
  readonly weakRomance: Forms;
  readonly english: readonly string[];
  readonly weakEnglish: readonly string[];
  /** The name of the deed: `agendamento feito`. */
  readonly noun: readonly string[];
};

/** The forms of regular verbs in `-ar`, of Portuguese and Spanish, by their stems. `[a, b]`: of the first persons, and of the rest. */
function formsOf(stems: readonly (string | readonly [first: string, rest: string])[]): Forms {
  const pairs = stems.map((stem) => (typeof stem === 'string' ? ([stem, stem] as const) : stem));
  return {
    i: pairs.flatMap(([first]) => [`${first}ei`, `${first}é`]),
    we: pairs.map(([, rest]) => `${rest}amos`),
    others: pairs.flatMap(([, rest]) => [`${rest}ou`, `${rest}ó`, `${rest}aron`, `${rest}aram`]),
    infinitive: pairs.map(([, rest]) => `${rest}ar`),
    done: pairs.map(([, rest]) => `${rest}ad`),
  };
}
const withMore = (forms: Forms, more: Partial<Forms>): Forms => ({
  i: [...forms.i, ...(more.i ?? [])],
  we: [...forms.we, ...(more.we ?? [])],
  others: [...forms.others, ...(more.others ?? [])],
  infinitive: [...forms.infinitive, ...(more.infinitive ?? [])],
  done: [...forms.done, ...(more.done ?? [])],
});

const words: Readonly<Record<Effect, Words>> = {
  book: {
    romance: formsOf([['marqu', 'marc'], 'agend', 'reserv', 'encaix']),
    weakRomance: withMore(formsOf(['confirm', 'program', 'apart', ['coloqu', 'coloc']]), {
      ...{ i: ['garanti'], we: ['garantimos'], others: ['garantiu'], infinitive: ['garantir'], done: ['garantid'] },
    }),
    english: ['booked', 'scheduled', 'reserved', 'pencill?ed'],
    weakEnglish: ['confirmed', 'secured', 'set up', 'arranged'],
    noun: [
      'agendamento',
      'marcação',
      'reserva',
      'reservación',
      'agendamiento',
      'cita',
      'booking',
      'reservation',
      'appointment',
    ],
  },
  move: {
    romance: formsOf([['remarqu', 'remarc'], 'reagend', 'reprogram', ['aplac', 'aplaz'], 'adi', 'posterg']),
    weakRomance: withMore(
      formsOf(['mud', 'alter', ['troqu', 'troc'], 'pass', 'pas', 'cambi', 'traslad', 'adelant', 'antecip', 'empurr']),
      {
        i: ['transferi', 'transferí', 'movi', 'moví', 'modifiquei', 'modifiqué', 'pospuse'],
        we: ['transferimos', 'movemos', 'movimos', 'modificamos', 'pospusimos'],
        others: ['transferiu', 'transfirió', 'moveu', 'movió', 'modificou', 'modificó', 'pospuso'],
        infinitive: ['transferir', 'mover', 'modificar', 'posponer'],
        done: ['transferid', 'movid', 'modificad', 'pospuest'],
      },
    ),
    english: ['rescheduled', 'postponed', 'rebooked'],
    weakEnglish: ['moved', 'changed', 'switched', 'shifted', 'pushed', 'transferred', 'brought', 'swapped', 'bumped'],
    noun: ['remarcação', 'reagendamento', 'reprogramación', 'reagendamiento', 'rescheduling'],
  },
  cancel: {
    romance: formsOf(['cancel', ['desmarqu', 'desmarc'], 'anul']),
    weakRomance: formsOf(['elimin', 'retir', 'suspend']),
    english: ['cancell?ed'],
    weakEnglish: ['called off', 'removed', 'deleted', 'dropped'],
    noun: ['cancelamento', 'cancelación', 'anulación', 'cancellation'],
  },
};

/** Adverbs that change no claim. They are left out before it is looked for. */
const adverbs = new RegExp(
  `(?<!it['’]s |it is |that['’]s )${before}${any(
    ...['já', 'ya', 'agora', 'ahora', 'também', 'también', 'now', 'just', 'already', 'also', 'all', 'successfully'],
    ...['então', 'mesmo', 'oficialmente', 'officially', 'so', 'todo', 'tudo', 'devidamente', 'hereby'],
  )}${after} `,
  'g',
);
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
const ending = '[oa]s?';
const your = any('(?:[oa]s? )?(?:seu|sua|teu|tua)s?', 'tus?', 'sus?', 'your');
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
/** What stands between a thing and what was done to it: `seu corte de cabelo`, `tu cita del viernes`. */
const some = (most: number) => `(?: ${word}){0,${most}}?`;
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

/**
 * A form of a claim. `isActive`: who has done it says so, and a question after it does not take it back. `within`: what
 * stands in it. `behind`, `ahead`: what stands before and after it.
 */
type Form = {
  readonly kind: Kind;
  readonly pattern: RegExp;
  readonly isActive?: boolean;
  readonly within?: RegExp;
  readonly behind?: RegExp;
  readonly ahead?: RegExp;
};

const patternOf = (...forms: readonly string[]) => new RegExp(`${before}${any(...forms)}${after}`, 'g');

function activeOf(kind: Effect, { romance, weakRomance, english, weakEnglish, noun }: Words): Form[] {
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

/** What a claim without a subject stands behind. */
const opening = new RegExp(
  `(?:^|[.!?:;,\\n—–]|${before}(?:e|y|and|que|that|pois|porque|because|então|so) )["“«*_~¡✅\\s-]{0,4}(?:(?:pront[oa]|listo|ok) )?$`,
);
/** What a participle stands before that is a whole sentence: "Marcado para amanhã!" */
const standing =
  /^\s*(?:[!.:,✅]|🎉|👍|$)|^ (?:para|pra|com|con|n[oa]|a las?|[àa]s|el|em|en|hoje|amanhã|mañana|hoy|sexta|for|at|on|to|in|you|tomorrow|today)(?![a-zà-ɏ])/;
const things = new RegExp(`${before}${thing}`);

function passiveOf(kind: Effect, { romance, weakRomance, english, weakEnglish, noun }: Words): Form[] {
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
        `${any(...noun)}(?: d[eo] ${word})? (?:foi |está |fue |is |was |has been )?${ended}`,
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
    // Without a subject, at the beginning: "Está agendado para amanhã", "Marcado!"
    { kind, pattern: patternOf(`${be} ${done}`), behind: opening },
    { kind, pattern: patternOf(done, enDone), behind: opening, ahead: standing },
  ];
}

const isIt = '(?:é|será|fica|ficou|es|queda|quedó|is|will be)';
const withDay = new RegExp(`^[^.!?\\n]{0,30}?${day}`);
const withDayOrDone = new RegExp(
  `^[^.!?\\n]{0,30}?${any(day, 'marcad', 'agendad', 'reservad', 'confirmad', 'booked', 'scheduled', 'confirmed')}`,
);

const forms: readonly Form[] = [
  ...(['book', 'move', 'cancel'] as const).flatMap((effect) => [
    ...activeOf(effect, words[effect]),
    ...passiveOf(effect, words[effect]),
  ]),
  {
    ...{ kind: 'move', within: things, ahead: withDay },
    pattern: patternOf(`${your}${some(3)} (?:novo|nova|nueva|nuevo|new)${some(3)} ${isIt}`),
  },
  {
    ...{ kind: 'move', within: things, ahead: about },
    pattern: patternOf(`${your}${some(4)} (?:mudou|passou|cambió|pasó|moved|changed)`),
  },
  // The customer has an appointment.
  { kind: 'has', within: things, ahead: withDay, pattern: patternOf(`${your}${some(6)} ${isIt}`) },
  {
    ...{ kind: 'has', ahead: withDayOrDone },
    pattern: patternOf(
      `${any('você', 'vc', 'usted', 'tú')} (?:tem|tens|tiene|tienes)${some(3)} ${thing}`,
      `you (?:do )?have (?:an?|your)${some(2)} ${thing}`,
    ),
  },
];

/** The words before a quotation, and the quotation: "you wrote: …". Only with these words before it, so that a claim between quotes is one. */
const quotation =
  /(?:você|cliente|mensagem|usted|mensaje|you|customer|message)[^."“”«»\n]{0,30}(?:disse|escreveu|falou|perguntou|diz|dijo|dijiste|escribió|escribiste|dice|said|wrote|asked|says)[^."“”«»\n]{0,20}["“«][^"“”«»\n]{1,300}["”»]/giu;

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

type Request = Pick<ModelRequest, 'results' | 'tools' | 'conversation' | 'now' | 'timezone'>;

/**
 * Whether a text says that an appointment was booked, moved, cancelled or is confirmed, and no row says so: no tool of this
 * turn has done just that, the server has confirmed it in no message before, and the customer has no such appointment. A
 * time that such a sentence names must be that of an appointment. Pure. It knows the grammar of such sentences in
 * Portuguese, Spanish and English, with common words, and not every one.
 */
export function claimsWithoutRow(text: string, request: Request): boolean {
  const { results, conversation, now, timezone } = request;
  const done = new Set(results.filter(isDone).map(({ name }) => name));
  const { appointments, changed } = knownMoments(request);
  const isTold = (effect: Effect) =>
    conversation.some(({ from, text: said }) => from === 'store' && toldBy[effect].test(said));
  const hasOne = appointments.length > 0 || request.tools.some(({ name }) => name === 'cancel');
  const today = localTimeOf(toInstant(now), timezone);

  const isShown = ({ kind, isActive }: Form, sentence: string): boolean => {
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
  };
  const isItsTime = ({ kind }: Form, sentence: string): boolean => {
    const rows = kind === 'cancel' ? changed : [...changed, ...appointments];
    return rows.length === 0 || isTimeOf(sentence, rows, today);
  };
  return sentencesOf(text.replaceAll(quotation, '').normalize('NFC').toLowerCase()).some((sentence) => {
    const plain = sentence.replaceAll(adverbs, '');
    return forms.some(
      (form) =>
        [...plain.matchAll(form.pattern)].some((match) => isClaim(form, plain, match)) &&
        !(isShown(form, sentence) && isItsTime(form, sentence)),
    );
  });
}

/** Whether what looks like a claim is one: no negation, condition, rule or question. */
function isClaim({ isActive, within, behind, ahead }: Form, sentence: string, { 0: found, index }: RegExpExecArray) {
  const [prior, rest] = [sentence.slice(0, index), sentence.slice(index + found.length)];
  if (within?.test(found) === false || behind?.test(prior) === false || ahead?.test(rest) === false) return false;
  if (notMeant.test(prior) || negated.test(found)) return false;
  if (!isActive && rule.test(rest)) return false;
  // A question that follows a claim, as in "it is cancelled, shall I book another?", is none about it.
  const isAsked = /\?\s*$/.test(rest.split(/[,;:—–]/)[0] ?? '');
  return !isAsked || (isActive === true && !inversion.test(sentence));
}

const inversion = /^\s*¿?\s*(?:have|had|did|has|should|shall|can|could|may)\b/;

const isDone = ({ output }: { readonly output: unknown }): boolean =>
  typeof output === 'object' && output !== null && 'appointment' in output;

/** Whether the times and days of a sentence are those of rows. A day and a time must be those of the same one. */
function isTimeOf(sentence: string, rows: readonly Moment[], today: ReturnType<typeof localTimeOf>): boolean {
  const days = daysIn(sentence, today);
  const clocks = clocksIn(sentence);
  if (clocks.length > 0) return clocks.some((clock) => rows.some((row) => canBeAt(row, clock, days)));
  return days.length === 0 || rows.some((row) => days.some((day) => canBeSame(day, row.day)));
}
