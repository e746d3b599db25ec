import { Failure, wordsOf } from '../api/failure.ts';
import { wordsOfModelFailure } from '../connections/model-providers.ts';
import { wordsOfHandover } from '../inbox/explanation-words.ts';
import { m } from '../paraglide/messages.js';
import type { ReplayedSide } from './agent-queries.ts';

/** What an agent does beside what it writes. Undefined: nothing. */
export function wordsOfAction({ action, reason, text }: ReplayedSide): string | undefined {
  switch (action) {
    case 'silent':
      return m.agents_replay_silent();
    case 'hand_over':
      return m.agents_replay_hands_over({ reason: wordsOfHandover((reason ?? '') as Handover) });
    case 'failed':
      return m.agents_replay_failed({ reason: wordsOfModelFailure((reason ?? '') as ModelFailure) });
    case 'use_tools':
      return text === null ? m.agents_replay_acts() : undefined;
    default:
      return undefined;
  }
}
type Handover = Parameters<typeof wordsOfHandover>[0];
type ModelFailure = Parameters<typeof wordsOfModelFailure>[0];

const failures: Readonly<Record<string, () => string>> = {
  agent_not_found: m.agents_replay_no_agent,
  model_not_connected: m.agents_replay_no_model,
  ai_budget_reached: m.agents_replay_budget,
};
/** Why an agent could not be tried. */
export const wordsOfRefusedTrial = (error: unknown): string =>
  (error instanceof Failure && failures[error.code]?.()) || wordsOf(error);
