import { plainText } from '../core/plain-text.ts';

type Words = { readonly stop: readonly string[]; readonly start: readonly string[] };

/**
 * The words that opt a customer out (`stop`) or back in (`start`), by language. A word with another likely meaning is
 * not in the list: `cancelar` alone is about an appointment. Every list applies to every store, because customers write
 * in their own language.
 */
export const optOutWords: Readonly<Record<string, Words>> = {
  en: {
    stop: ['stop', 'stop all', 'stopall', 'unsubscribe', 'opt out', 'optout'],
    start: ['start', 'unstop', 'opt in'],
  },
  pt: { stop: ['sair', 'parar', 'pare', 'descadastrar'], start: ['voltar', 'retomar'] },
  es: { stop: ['parar', 'baja', 'darse de baja', 'darme de baja'], start: ['volver', 'alta', 'reanudar'] },
  fr: { stop: ['arrêt', 'arrêter', 'désabonner', 'se désabonner', 'me désabonner'], start: ['reprendre'] },
  de: { stop: ['stopp', 'abmelden', 'abbestellen'], start: ['anmelden', 'weiter erhalten'] },
  it: { stop: ['disiscrivi', 'disiscrivimi'], start: ['riprendi'] },
};

const wordsOf = (kind: keyof Words) =>
  new Set(Object.values(optOutWords).flatMap((words) => words[kind].map(plainText)));
const stopWords = wordsOf('stop');
const startWords = wordsOf('start');

/** Whether a message consists of one opt-out word (`stop`) or one opt-in word (`start`) and nothing else. */
export function readOptOut(text: string): 'stop' | 'start' | null {
  // A longer message cannot be one such word; this bounds the work.
  if (text.length > 100) return null;
  const said = plainText(text);
  if (stopWords.has(said)) return 'stop';
  return startWords.has(said) ? 'start' : null;
}
