import { type Conversation, doubled, lost, stale } from '../exact/answers.ts';
import type { Invariant } from './invariant.ts';
import type { Seen } from './seen.ts';

/** Invariants of what the AI answers. */
export const ofAnswers: readonly Invariant[] = [
  {
    name: 'no message of a customer has two answers of the AI',
    verdict: 'doubled',
    find: (_, seen) => faultsOf(seen, ({ said }) => doubled(said)),
  },
  {
    name: 'an answer of the AI has seen all that the customer wrote before it',
    verdict: 'broken',
    find: (_, seen) => faultsOf(seen, ({ said }) => stale(said)),
  },
  {
    name: 'all that a customer wrote to the AI is answered, or a person was called',
    verdict: 'lost',
    find: (_, seen) =>
      faultsOf(seen, ({ said, turns }) =>
        turns.some(({ state }) => state === 'handed_over') ? [] : lost(said, turns),
      ),
  },
];

/** What the provider refused was answered nevertheless. */
const asAnswered = (conversation: Conversation): Conversation => ({
  ...conversation,
  said: conversation.said.map((one) => (one.status === 'failed' ? { ...one, status: 'sent' } : one)),
});

const faultsOf = ({ conversations }: Seen, find: (conversation: Conversation) => string[]): string[] =>
  conversations.flatMap((one) => find(asAnswered(one)).map((fault) => `lead ${one.leadId}: ${fault}`));
