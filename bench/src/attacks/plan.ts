import type { Latencies, OpenLoadResult } from '../shared/load/open-load.ts';

/** The attacks, each a row of the threat model, and none: what the method itself scatters. */
export const attackNames = [
  'none',
  'names that hang',
  'receivers that hang',
  'sign-ins of many networks',
  'false cookies of one network',
  'callbacks of one network',
] as const;
export type AttackName = (typeof attackNames)[number];

export type AttacksPlan = {
  readonly rounds: number;
  readonly seconds: number;
  readonly attacks: readonly AttackName[];
};

/** What the others noticed. */
export type Noticed = {
  /** null: quiet. */
  readonly attack: AttackName | null;
  readonly round: number;
  /** By kind of request, and `webhooks`: from a change until its event was received. */
  readonly latencies: Readonly<Record<string, Pick<Latencies, 'answered' | 'p50Ms' | 'p99Ms' | 'maxMs'>>>;
  readonly refused: OpenLoadResult['refused'];
  /** Requests that the attacker sent, and their answers other than 2xx by status; null when it sends none. */
  readonly sent: Pick<OpenLoadResult, 'sent' | 'refused'> | null;
};
