import type { WaitingItem } from '../api/platform.ts';

export type WaitingKind = WaitingItem['kind'];
export const waitingKinds = [
  'message',
  'followup',
  'calendar_sync',
  'webhook_delivery',
] as const satisfies readonly WaitingKind[];

/** What the address of the screen keeps: the kind that it shows. */
export type OperationsSearch = { readonly kind?: WaitingKind | undefined };

export const readOperationsSearch = ({ kind }: Record<string, unknown>): OperationsSearch => ({
  kind: waitingKinds.find((known) => known === kind),
});
