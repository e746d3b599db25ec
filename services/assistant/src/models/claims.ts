import type { ModelRequest } from './model.ts';

/** Words of Portuguese, Spanish and English that say that the writer has just booked, moved or cancelled something. */
const did =
  /(?<![\p{L}\p{M}])(?:(?:já |acabei de |acabo de |ya )?(?:marquei|agendei|reservei|remarquei|cancelei|desmarquei|agendé|reservé|reagendé|cancelé|anulé)|(?:acabei de|acabo de) (?:marcar|agendar|reservar|remarcar|cancelar|reagendar)|I(?:['’]ve| have)?(?: just| now)? (?:booked|scheduled|reserved|rescheduled|cancell?ed))(?![\p{L}\p{M}])/iu;

/** Words that say that something of the customer is booked, or that a booking is confirmed. */
const isBooked =
  /(?<![\p{L}\p{M}])(?:(?:seu|sua|teu|tua|tu|su) [\p{L}]+ (?:já |ya )?(?:está|foi|ficou|fica|quedó|queda|fue|ha sido) (?:marcad|agendad|reservad|confirmad)[oa]|(?:agendamento|consulta|reserva|cita|turno) (?:marcad|agendad|reservad|confirmad)[oa]|your (?:appointment|booking|visit|reservation)(?: is| has been| was)?(?: now)? (?:booked|scheduled|reserved|confirmed)|you(?:['’]re| are)(?: all)? (?:booked|scheduled))(?![\p{L}\p{M}])|(?:^|[.!\n]\s{0,3})(?:marcad|agendad|reservad|confirmad|booked|confirmed)(?:[oa])?\s?!/iu;

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
  // An appointment to come can be cancelled.
  const hasAppointment = tools.some(({ name }) => name === 'cancel');
  return did.test(text) || (!hasAppointment && isBooked.test(text));
}
