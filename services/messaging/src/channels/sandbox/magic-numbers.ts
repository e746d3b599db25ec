import type { StatusUpdate } from '../channel-provider.ts';

/** What the sandbox does with one attempt to send. */
type Answer =
  | { readonly kind: 'accepted' }
  /** It has accepted the message, and its answer gets lost. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'unreachable' }
  /** It answers with this error code of WhatsApp. */
  | { readonly kind: 'refused'; readonly code: number; readonly retryAfterSeconds?: number };

/** A status update that the sandbox posts after it has accepted a message. `code` is WhatsApp's, and only of `failed`. */
type PlannedUpdate = {
  readonly status: StatusUpdate['status'];
  readonly afterMs: number;
  readonly code?: number;
};

/** How the sandbox treats the messages to a number. */
export type Behaviour = {
  /** What the first attempt gets, the second, and so on. The last one is for all later attempts, too. */
  readonly answers: readonly [Answer, ...Answer[]];
  /** How long each answer takes. */
  readonly answersAfterMs: number;
  /** When an accepted message is on the telephone; null: never. */
  readonly arrivesAfterMs: number | null;
  readonly updates: readonly PlannedUpdate[];
};

const accepted: Answer = { kind: 'accepted' };
const unreachable: Answer = { kind: 'unreachable' };
const refused = (code: number, retryAfterSeconds?: number): Answer => ({
  kind: 'refused',
  code,
  ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
});
const delivered = (afterMs: number): PlannedUpdate => ({ status: 'delivered', afterMs });
const read = (afterMs: number): PlannedUpdate => ({ status: 'read', afterMs });

const soonMs = 1_000;
const lateMs = 60_000;
const plain: Behaviour = { answers: [accepted], answersAfterMs: 0, arrivesAfterMs: 0, updates: [] };

/**
 * The errors with which WhatsApp refuses a message for good, in the order of the guide. Two of them are the channel's
 * fault: once they are repaired, the message is accepted.
 */
const refusals = [
  ...[131047, 131026, 131049, 131050, 130497, 368, 131031, 100, 131008],
  ...[132000, 132001, 132005, 132007, 132012, 132015, 132016],
];
const ofChannel: ReadonlySet<number> = new Set([368, 131031]);
const firstRefused = 20;
const firstFailed = 50;

/** By the last two digits. Documented in docs/guides/sandbox.md. */
const outcomes = new Map<number, Behaviour>([
  [0, { ...plain, updates: [delivered(soonMs), read(2 * soonMs)] }],
  [1, { ...plain, updates: [delivered(soonMs)] }],
  [2, { ...plain, arrivesAfterMs: null }],
  [3, { ...plain, arrivesAfterMs: lateMs, updates: [delivered(lateMs)] }],
  [4, { ...plain, updates: [read(soonMs), delivered(2 * soonMs)] }],
  [5, { ...plain, answers: [{ kind: 'lost' }], arrivesAfterMs: null }],
  [6, { ...plain, answers: [{ kind: 'lost' }], updates: [delivered(10 * soonMs)] }],
  // Longer than the engine waits for a provider.
  [7, { ...plain, answersAfterMs: 60_000, arrivesAfterMs: null }],
  // Longer than a request waits for the outcome, unless the store has its own limit.
  [8, { ...plain, answersAfterMs: 6_000, updates: [delivered(soonMs)] }],
  [9, { ...plain, answers: [refused(131056, 5), refused(131056, 5), accepted], updates: [delivered(soonMs)] }],
  [10, { ...plain, answers: [refused(130429, 10), accepted], updates: [delivered(soonMs)] }],
  [11, { ...plain, answers: [unreachable, unreachable, accepted], updates: [delivered(soonMs)] }],
  [12, { ...plain, answers: [unreachable] }],
  [13, { ...plain, answers: [refused(190), accepted] }],
  ...refusals.map((code, index): [number, Behaviour] => [
    firstRefused + index,
    { ...plain, answers: ofChannel.has(code) ? [refused(code), accepted] : [refused(code)] },
  ]),
  ...refusals.map((code, index): [number, Behaviour] => [
    firstFailed + index,
    { ...plain, arrivesAfterMs: null, updates: [{ status: 'failed', afterMs: soonMs, code }] },
  ]),
]);

/**
 * Numbers 555-0100 to 555-0199 of an area code in North America are reserved for fiction: no customer has one, and each is
 * valid as a phone. https://www.nanpa.com/numbering/555-line-numbers
 */
const reserved = /^120155501([0-9]{2})$/;

/** The behaviour that a number stands for; undefined for every other number. */
export function magicOutcome(phone: string): Behaviour | undefined {
  const [, digits] = reserved.exec(phone) ?? [];
  return digits === undefined ? undefined : outcomes.get(Number(digits));
}

/** How the sandbox treats the messages to a number. Of a number that is not magic, the telephone itself tells the rest. */
export const behaviourOf = (phone: string): Behaviour => magicOutcome(phone) ?? plain;

/** What this attempt to send gets. Attempts count from 1. */
export const answerTo = ({ answers }: Behaviour, attempt: number): Answer =>
  answers[Math.min(attempt, answers.length) - 1] ?? answers[0];
