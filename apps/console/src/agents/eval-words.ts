import { Failure } from '../api/failure.ts';
import { m } from '../paraglide/messages.js';
import type { ExpectationType } from './eval-draft.ts';
import { wordsOfRefusedTrial } from './replay-words.ts';

export const expectationWords: Readonly<Record<ExpectationType, () => string>> = {
  contains: m.agents_evals_contains,
  not_contains: m.agents_evals_not_contains,
  from_document: m.agents_evals_from_document,
  offers_times: m.agents_evals_offers_times,
  hands_over: m.agents_evals_hands_over,
};
export const expectationTypes = Object.keys(expectationWords) as ExpectationType[];

/** One thing that a good answer does. */
export const wordsOfExpectation = ({ type, value }: { type: ExpectationType; value?: string }): string =>
  value === undefined ? expectationWords[type]() : `${expectationWords[type]()}: ${value}`;

const failures: Readonly<Record<string, () => string>> = {
  agent_eval_limit: m.agents_evals_limit,
  agent_eval_not_found: m.agents_evals_gone,
  agent_eval_run_not_found: m.agents_evals_run_gone,
};
/** Why an eval could not be saved or run. */
export const wordsOfRefusedEval = (error: unknown): string =>
  (error instanceof Failure && failures[error.code]?.()) || wordsOfRefusedTrial(error);
