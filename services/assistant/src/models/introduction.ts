import type { ModelRequest } from './model.ts';
import { languageOf, phrases } from './phrases.ts';

/** Who writes, and whether the AI has not written to the lead before. */
export type Speaker = Pick<ModelRequest, 'locale' | 'isFirst'> & {
  /** Null: it is not known. */
  readonly agent: Pick<ModelRequest['agent'], 'name' | 'language' | 'disclosure'> | null;
};

/**
 * What stands before the first text to a lead: that an AI writes. It does not matter what the text is, and whether a model wrote it. Pure.
 * Nothing when the text says so, or when the agent does not disclose it.
 */
export function introductionTo(text: string, { agent, locale, isFirst }: Speaker): string[] {
  if (!isFirst || agent?.disclosure === false) return [];
  const say = phrases[languageOf(agent?.language ?? locale)];
  if (!agent) return [say.anAiWrites];
  const sentences = [say.iAmAi(agent.name), say.helloAsAi(agent.name), say.pleaseWrite];
  return sentences.some((sentence) => text.includes(sentence)) ? [] : [say.iAmAi(agent.name)];
}
