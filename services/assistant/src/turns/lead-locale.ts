import { detectAll } from 'tinyld';
import type { Line } from '../models/model.ts';

/** Of more languages, a few words could not be told apart. */
const told = ['pt', 'es', 'en', 'fr', 'de', 'it'];
/** In characters: enough to tell it, and little work. */
const longest = 500;
/** How many times likelier than the store's language another one must be. Many short texts are good Spanish and Portuguese. */
const leastRatio = 3;

/**
 * The language tag of what a lead writes: the latest messages, or, if those do not tell it, the ones before. The tag of the
 * store when that is the language too, or when nothing tells it. Pure.
 */
export function localeOfLead(ofStore: string, text: string, before: readonly Pick<Line, 'from' | 'text'>[]): string {
  const earlier = before.filter(({ from }) => from === 'lead').map((line) => line.text);
  const usual = new Intl.Locale(ofStore).language;
  const language = languageOf(text, usual) ?? languageOf(earlier.join('\n'), usual);
  return language === undefined || language === usual ? ofStore : language;
}

/** One word is in several languages, or a name. `usual`: the language of the store. */
function languageOf(text: string, usual: string): string | undefined {
  const words = text.slice(-longest).match(/\p{L}+/gu) ?? [];
  if (words.length < 2) return undefined;
  const found = detectAll(words.join(' '), { only: told });
  const [best] = found;
  const accuracyOfUsual = found.find(({ lang }) => lang === usual)?.accuracy ?? 0;
  return best && (best.lang === usual || best.accuracy >= leastRatio * accuracyOfUsual) ? best.lang : undefined;
}
