import type { Followup } from '../api/platform.ts';

/** The lists of the screen, in the order of their tabs. */
export const states = ['pending', 'sent', 'failed', 'cancelled'] as const satisfies readonly Followup['status'][];
export type State = (typeof states)[number];

export const stateOf = (word: string | undefined): State => states.find((state) => state === word) ?? 'pending';

/** How many days back a list reaches. Undefined: all. */
export const periods = ['7', '30', '90'] as const;
export type Period = (typeof periods)[number];
export type FollowupSearch = { readonly days?: Period | undefined };

export const readFollowupSearch = ({ days }: Record<string, unknown>): FollowupSearch => ({
  days: periods.find((period) => period === String(days)),
});

const minuteMs = 60_000;

/** Whether it waits for more than its moment: for the sending window, or for the next attempt. */
export const isDelayed = ({ status, due_at, next_attempt_at }: Followup): boolean =>
  status === 'pending' && next_attempt_at !== null && Date.parse(next_attempt_at) - Date.parse(due_at) > minuteMs;

const undoMs = 10_000;

/** Whether it is far enough away that a cancellation may wait until it can no longer be taken back. */
export const mayWait = ({ due_at, next_attempt_at }: Followup, now: number): boolean =>
  Date.parse(next_attempt_at ?? due_at) - now > 2 * undoMs;
