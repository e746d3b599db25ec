import type { Agent, HandoverReason, modelProviders, Passage, SilentReason } from '@mostrador/contracts';

/** What a model is asked. The server has chosen the agent and the passages. */
export type ModelRequest = {
  readonly agent: Pick<Agent, 'name' | 'language' | 'disclosure'>;
  /** The language of the store, for an agent without one. */
  readonly locale: string;
  /** What the lead wrote, one message a line. */
  readonly text: string;
  readonly passages: readonly Passage[];
  /** Whether the AI has not written to the lead in the messages before. */
  readonly isFirst: boolean;
};

/**
 * What a model decides. It chooses among these, and nothing else happens. `usedPassages`: places in the list that it was
 * given.
 */
export type Decision =
  | { readonly action: 'reply'; readonly text: string; readonly usedPassages: readonly number[] }
  | { readonly action: 'silent'; readonly reason: SilentReason }
  | { readonly action: 'hand_over'; readonly text: string; readonly reason: HandoverReason };

/** A model of a provider. */
export type Model = {
  /** Its provider and name, such as `demo`. */
  readonly name: string;
  answer(request: ModelRequest, options: { readonly timeoutMs: number }): Promise<Decision>;
};

export type OpenModel = (provider: (typeof modelProviders)[number]) => Model;
