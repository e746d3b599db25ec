import type { components } from '../generated/platform.ts';

type Limits = Pick<components['schemas']['AiBudget'], 'most_calls' | 'most_spent' | 'most_tokens'>;

/** Only what was changed, so that it does not undo what another person changes meanwhile. Pure. */
export const changedLimits = (shown: Limits, typed: Limits): Partial<Limits> => ({
  ...(typed.most_calls !== shown.most_calls && { most_calls: typed.most_calls }),
  ...(typed.most_spent !== shown.most_spent && { most_spent: typed.most_spent }),
  ...(typed.most_tokens !== shown.most_tokens && { most_tokens: typed.most_tokens }),
});
