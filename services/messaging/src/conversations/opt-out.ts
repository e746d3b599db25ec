type Words = { readonly stop: readonly string[]; readonly start: readonly string[] };

/**
 * What a customer writes to be left alone, and to be written to again, by language. Only words that can hardly be meant
 * for the store: `cancelar` alone is about an appointment. A customer writes in a language of their own, so every list
 * holds for every store.
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

/** Letters alone: no case, accents, punctuation or emoji, and one space between words. */
const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

const wordsOf = (kind: keyof Words) => new Set(Object.values(optOutWords).flatMap((words) => words[kind].map(plain)));
const stopWords = wordsOf('stop');
const startWords = wordsOf('start');

/** What a message asks for that is nothing but such a word: no more messages, or messages again. */
export function readOptOut(text: string): 'stop' | 'start' | null {
  // Whatever is longer says something else as well.
  if (text.length > 100) return null;
  const said = plain(text);
  if (stopWords.has(said)) return 'stop';
  return startWords.has(said) ? 'start' : null;
}
