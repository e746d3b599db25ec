import type { AgentEvalResult, CheckedExpectation, Expectation, ReplayedSide } from '@mostrador/contracts';
import { plainOf } from '../models/demo-intents.ts';

type Answer = Pick<ReplayedSide, 'action' | 'text' | 'passages' | 'offers_times'>;

/**
 * Which expectations an answer keeps. One that cannot be sent keeps none, also not that it has no word: nothing is known of
 * what the customer would have read. Pure.
 */
export function judge(expects: readonly Expectation[], answer: Answer): Pick<AgentEvalResult, 'holds' | 'expects'> {
  const canBeSent = answer.action !== 'failed';
  const checked = expects.map(
    (expectation): CheckedExpectation => ({ ...expectation, holds: canBeSent && keeps(expectation, answer) }),
  );
  return { holds: canBeSent && checked.every((one) => one.holds), expects: checked };
}

function keeps({ type, value = '' }: Expectation, { action, text, passages, offers_times }: Answer): boolean {
  const has = () => flat(text ?? '').includes(flat(value));
  switch (type) {
    case 'from_document':
      return passages.some((title) => flat(title) === flat(value));
    case 'hands_over':
      return action === 'hand_over';
    case 'offers_times':
      return offers_times;
    case 'contains':
      return has();
    case 'not_contains':
      return !has();
  }
}

/** Without case, accents and line breaks. */
const flat = (text: string): string => plainOf(text).replaceAll(/\s+/g, ' ');
