import { type Finding, storesText } from './finding.ts';

/** Stores whose embedder fails in one way. */
export type FailingEmbedders = {
  /** A `ModelFailureKind`. */
  readonly kind: string;
  readonly stores: number;
  /** Of the store with the most attempts. */
  readonly store_id: string;
  readonly attempts: number;
};

const byItself = 'It goes on by itself. `embedder show` has the address: look at it from a host of assistant.';

const remedies: Readonly<Record<string, string>> = {
  rejected: 'The embedder refuses the key or the name of the model. `embedder connect` connects it again.',
  malformed:
    'Its answers are no vectors: the address is not that of `/embeddings`. `embedder connect` connects another.',
};

/** A finding for each way to fail. Pure. */
export const judgeEmbedders = (failing: readonly FailingEmbedders[]): Finding[] =>
  failing.map(({ kind, stores, store_id, attempts }) => ({
    severity: 'warning',
    what: `The embedder of ${storesText(stores, store_id)} gives no vectors (${kind}). New documents are found by their words only`,
    since: null,
    why: attempts === 1 ? 'The last attempt failed.' : `The last ${attempts} attempts failed.`,
    remedy: remedies[kind] ?? byItself,
  }));
