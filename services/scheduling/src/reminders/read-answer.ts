import { type BookingRules, plainText } from '@mostrador/contracts';

/** A longer message is no such word, which bounds the work. */
const longestAnswer = 100;

const questionMark = /[?¿？؟]/u;

/** What a message of the lead answers to a reminder. Null: it is no answer. */
export function readAnswer(
  text: string,
  { confirm_words, cancel_words }: Pick<BookingRules, 'confirm_words' | 'cancel_words'>,
): 'confirm' | 'cancel' | null {
  // A question confirms nothing, and above all cancels nothing.
  if (text.length > longestAnswer || questionMark.test(text)) return null;
  const said = plainText(text);
  const isOneOf = (words: readonly string[]) => words.some((word) => plainText(word) === said);
  if (isOneOf(confirm_words)) return 'confirm';
  return isOneOf(cancel_words) ? 'cancel' : null;
}
