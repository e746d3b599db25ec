import type { ModelRequest } from './model.ts';
import { languageOf, phrases } from './phrases.ts';

/** Who writes, and whether the AI has not written to the lead before. */
export type Speaker = Pick<ModelRequest, 'locale' | 'isFirst'> & {
  readonly agent: Pick<ModelRequest['agent'], 'name' | 'language' | 'disclosure'>;
};

/**
 * What stands before the first text of an agent that discloses it: that it is an AI, whatever the text is and whoever made
 * it. Pure. Nothing when the text says so.
 */
export function introductionTo(text: string, { agent, locale, isFirst }: Speaker): string[] {
  if (!isFirst || !agent.disclosure) return [];
  const say = phrases[languageOf(agent.language ?? locale)];
  const sentences = [say.iAmAi(agent.name), say.helloAsAi(agent.name), say.pleaseWrite];
  return sentences.some((sentence) => text.includes(sentence)) ? [] : [say.iAmAi(agent.name)];
}
