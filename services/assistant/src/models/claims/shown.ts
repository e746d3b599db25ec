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

const isDone = ({ output }: { readonly output: unknown }): boolean =>
  typeof output === 'object' && output !== null && 'appointment' in output;

/** Whether the times and days of a sentence are those of rows. A day and a time must be those of the same one. */
function isTimeOf(sentence: string, rows: readonly Moment[], today: ReturnType<typeof localTimeOf>): boolean {
  const days = daysIn(sentence, today);
  const clocks = clocksIn(sentence);
  if (clocks.length > 0) return clocks.some((clock) => rows.some((row) => canBeAt(row, clock, days)));
  return days.length === 0 || rows.some((row) => days.some((day) => canBeSame(day, row.day)));
}
