import type { NextStep } from '@mostrador/contracts/core';
import type { TransactionSql } from '../database/database.ts';

// The shape of a retry engine. `next-move.ts` decides, `claim-next.ts` claims, `record-outcome.ts` records, and
// `attempt.repository.ts` has the SQL of attempts: `claim`, `postpone` and `record…`. Each engine fills in its own rows.

/** The row that a step is about, such as an appointment's sync or a lead's queue. */
export type RowKey = { readonly storeId: string; readonly id: string };

/** A running attempt. It can record an outcome only while the row has its lease token. */
export type Attempt = RowKey & {
  readonly leaseToken: string;
  /** The first attempt of a row has the number 1. */
  readonly number: number;
};

/** Why an attempt failed. Operators and the API show it, so it holds no provider's text with personal data. */
export type AttemptError = { readonly code: string; readonly detail: string };

/** No attempt begins now. The step answers its workflow. */
export type Answer = { readonly kind: 'answer'; readonly next: NextStep };

export const answer = (next: NextStep): Answer => ({ kind: 'answer', next });

/** What is to be done about a row: answer, claim an attempt, or a move of the engine's own. */
export type Move<Due, Own extends { readonly kind: string } = never> =
  | Answer
  | ({ readonly kind: 'claim' } & Due)
  | Own;

/** Decides about a locked row. Pure: it gets the row and the time of the database clock, and only `random` differs. */
export type NextMove<Situation extends { readonly now: Date }, EngineMove extends { readonly kind: string }> = (
  situation: Situation,
  random?: () => number,
) => EngineMove;

/** What `claimNext` did. The attempt of `claimed` begins when the transaction has committed. */
export type Claim<Claimed> = Answer | { readonly kind: 'claimed'; readonly claimed: Claimed };

/** Locks a row, asks `nextMove`, and makes its move in the same transaction. */
export type ClaimNext<EngineClaim, Options = void> = (
  sql: TransactionSql,
  row: RowKey,
  options: Options,
) => Promise<EngineClaim>;

/** The outcome of an attempt. `not_called`: it made no call, so it does not count. */
export type Outcome<Success, Failure, NotCalled = never> =
  | ({ readonly kind: 'succeeded' } & Success)
  | ({ readonly kind: 'failed' } & Failure)
  | (NotCalled & { readonly kind: 'not_called' });

/** Records the outcome of an attempt. Without the lease it leaves the row alone, because another attempt has decided. */
export type RecordOutcome<
  Claimed extends { readonly attempt: Attempt },
  EngineOutcome extends { readonly kind: string },
  Recorded = NextStep,
  Options = void,
> = (sql: TransactionSql, claimed: Claimed, outcome: EngineOutcome, options: Options) => Promise<Recorded>;
