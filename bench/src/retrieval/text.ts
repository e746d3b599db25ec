import type { Random } from '@mostrador/testing/random';

const words = 30_000;
/** The most frequent words of a language are stop words, which full text leaves out. */
const stopWords = 50;
const syllables = ['ba', 'ce', 'di', 'fo', 'gu', 'la', 'me', 'ni', 'po', 'ru', 'sa', 'te', 'vi', 'zo', 'lhe', 'nho'];

/** The word of this rank: as many syllables as it takes to tell it apart. */
function wordOf(rank: number): string {
  let word = '';
  for (let rest = rank + syllables.length; rest > 0; rest = Math.floor(rest / syllables.length)) {
    word += syllables[rest % syllables.length];
  }
  return word;
}

/** Writes text whose words are as frequent as in a language, by Zipf's law: the word of rank n has 1/n of the first one. */
export function createWriter(random: Pick<Random, 'next'>) {
  const upTo = Math.log((words + 0.5) / (stopWords + 0.5));
  const next = () => wordOf(Math.floor((stopWords + 0.5) * Math.exp(upTo * random.next())));
  const write = (count: number) => Array.from({ length: count }, next).join(' ');
  return {
    /** About 650 characters, which is a passage. */
    paragraph: () => `${write(90).slice(0, 650)}.`,
    question: () => `${write(6)}?`,
  };
}
