import type { ModelRequest } from './model.ts';

/** Words before a claim by which it is none: a negation, a condition. */
const notMeant =
  /(?<!(?<![\p{L}\p{M}])(?:não|nunca|nem|se|quando|caso|assim que|depois que|antes que|no|jamás|si|cuando|en cuanto|not|never|if|when|once|after|before|unless|whether)(?: (?:eu|yo|o|a|lo|la|lhe|te|le|se))?,? )/u
    .source;

/** Words of Portuguese, Spanish and English that say that the writer has just booked, moved or cancelled something. */
const did = new RegExp(
  String.raw`(?<![\p{L}\p{M}])${notMeant}(?:(?:já |acabei de |acabo de |ya )?(?:marquei|agendei|reservei|remarquei|cancelei|desmarquei|agendé|reservé|reagendé|cancelé|anulé)|(?:acabei de|acabo de) (?:marcar|agendar|reservar|remarcar|cancelar|reagendar)|I(?:['’]ve| have)?(?: just| now| already)? (?:booked|scheduled|reserved|rescheduled|cancell?ed))(?![\p{L}\p{M}])`,
  'iu',
);

/** Words that say that the writer booked something before. */
const didBefore =
  /(?<![\p{L}\p{M}])(?:(?:já (?:lhe |te )?(?:marquei|agendei|reservei)|ya (?:le |te )?(?:agendé|reservé)|I(?:['’]ve| have)? already (?:booked|scheduled|reserved)))(?![\p{L}\p{M}])/giu;

/** Words that say that something of the customer is booked, or that a booking is confirmed. */
const isBooked = new RegExp(
  String.raw`(?<![\p{L}\p{M}])${notMeant}(?:(?:seu|sua|teu|tua|tu|su) [\p{L}]+ (?:já |ya )?(?:está|foi|ficou|fica|quedó|queda|fue|ha sido) (?:marcad|agendad|reservad|confirmad)[oa]|(?:agendamento|consulta|reserva|cita|turno) (?:marcad|agendad|reservad|confirmad)[oa]|your (?:appointment|booking|visit|reservation)(?: is| has been| was)?(?: now)? (?:booked|scheduled|reserved|confirmed)|you(?:['’]re| are)(?: all)? (?:booked|scheduled))(?![\p{L}\p{M}]|\s?\?)|(?:^|[.!\n]\s{0,3})(?:marcad|agendad|reservad|confirmad|booked|confirmed)(?:[oa])?\s?!`,
  'iu',
);

/** The words before a quotation, and the quotation: "you wrote: …". Only with these words before it, so that a claim between quotes is one. */
const quotation =
  /(?:você|cliente|mensagem|usted|mensaje|you|customer|message)[^."“”«»\n]{0,30}(?:disse|escreveu|falou|perguntou|diz|dijo|dijiste|escribió|escribiste|dice|said|wrote|asked|says)[^."“”«»\n]{0,20}["“«][^"“”«»\n]{1,300}["”»]/giu;

const changing: ReadonlySet<string> = new Set(['book', 'move', 'cancel']);

/**
 * Whether a text says that an appointment was booked, moved or cancelled, and no row says so: no tool of this turn has done
 * it, and the lead has no appointment to come that could be meant. Pure. It knows common words, and not every one.
 */
export function claimsWithoutRow(text: string, { results, tools }: Pick<ModelRequest, 'results' | 'tools'>): boolean {
  const isDone = results.some(
    ({ name, output }) =>
      changing.has(name) && typeof output === 'object' && output !== null && 'appointment' in output,
  );
  if (isDone) return false;
  const own = text.replaceAll(quotation, '');
  // An appointment to come can be cancelled. It was booked before.
  const hasAppointment = tools.some(({ name }) => name === 'cancel');
  return hasAppointment ? did.test(own.replaceAll(didBefore, '')) : did.test(own) || isBooked.test(own);
}
