import { detect } from 'tinyld';
import type { Line } from '../models/model.ts';

/** Of more languages, a few words could not be told apart. */
const told = ['pt', 'es', 'en', 'fr', 'de', 'it'];
/** In characters: enough to tell it, and little work. */
const longest = 500;

/**
 * The language tag of what a lead writes: the latest messages, or, if those do not tell it, the ones before. The tag of the
 * store when that is the language too, or when nothing tells it. Pure.
 */
export function localeOfLead(ofStore: string, text: string, before: readonly Pick<Line, 'from' | 'text'>[]): string {
  const earlier = before.filter(({ from }) => from === 'lead').map((line) => line.text);
  const language = languageOf(text) ?? languageOf(earlier.join('\n'));
  return language === undefined || language === new Intl.Locale(ofStore).language ? ofStore : language;
}

/** One word is in several languages, or a name. */
function languageOf(text: string): string | undefined {
  const words = text.slice(-longest).match(/\p{L}+/gu) ?? [];
  return words.length < 2 ? undefined : detect(words.join(' '), { only: told }) || undefined;
}
