/** The number of an event as a person wrote it. Undefined: left out. Null: not a number of an event. */
export function sequenceOf(written: unknown): number | undefined | null {
  const text = String(written ?? '').trim();
  if (text === '') return undefined;
  const sequence = Number(text);
  return /^\d+$/.test(text) && sequence >= 1 && Number.isSafeInteger(sequence) ? sequence : null;
}
