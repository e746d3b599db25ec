/** What a claim says has happened to an appointment. */
export type Effect = 'book' | 'move' | 'cancel';

/** Where a language puts what has been done: into the verb of the speaker, of another one, and a participle. */
export type Forms = {
  readonly i: readonly string[];
  readonly we: readonly string[];
  readonly others: readonly string[];
  readonly infinitive: readonly string[];
  /** Of Portuguese and Spanish without the ending `o`, `a`, `os`, `as`. */
  readonly done: readonly string[];
};
/** `weak`: those that mean an appointment only beside one. */
export type Words = {
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

export const deeds: Readonly<Record<Effect, Words>> = {
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
