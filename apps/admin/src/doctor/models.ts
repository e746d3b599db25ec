import { type Finding, storesText, toTime } from './finding.ts';

/** Stores whose provider of models fails in one way. */
export type FailingModels = {
  readonly provider: string;
  /** A `ModelFailureKind`. */
  readonly kind: string;
  readonly stores: number;
  /** Of the store whose calls failed last. */
  readonly store_id: string;
  readonly failures: number;
  readonly failed_at: Date;
  /** Open turns of these stores, whose leads wait for an answer, and since when the first of them waits. */
  readonly waiting: number;
  readonly waiting_since: Date | null;
};

const byItself =
  "It goes on by itself. Look at the provider's status page, and from a host of assistant at its network.";

const remedies: Readonly<Record<string, string>> = {
  rejected:
    'The provider refuses the key, the credit or the name of the model. The store, or `ai connect`, connects it again; `ai show` has the model.',
  refused: 'The model declines to answer. The store chooses another model, or changes what its agents are told.',
  malformed:
    'The answers of the model cannot be used: it may be too small for tools. The store connects another model.',
  rate_limited: `The account of the store at the provider is at its limit. ${byItself}`,
};

/** A finding for each provider and way to fail. Pure. */
export const judgeModels = (failing: readonly FailingModels[]): Finding[] =>
  failing.map(({ provider, kind, stores, store_id, failures, failed_at, waiting, waiting_since }) => ({
    severity: 'warning',
    what: `The model of ${storesText(stores, store_id)} at ${provider} does not answer (${kind}). ${waiting === 0 ? 'People get the leads' : `${waiting} ${waiting === 1 ? 'lead waits' : 'leads wait'} for the AI, and people get them after two minutes`}`,
    since: toTime(waiting_since),
    why: `${failures === 1 ? 'The last call failed' : `The last ${failures} calls failed`}, the latest at ${failed_at.toISOString()}. A store with another model uses that one.`,
    remedy: remedies[kind] ?? byItself,
  }));
