import type { InboundPlan } from './inbound.ts';
import type { OutboundPlan } from './outbound.ts';

export type MessagingPart = 'outbound' | 'inbound';

export type MessagingPlan = OutboundPlan &
  InboundPlan & {
    readonly stores: number;
    readonly rounds: number;
    readonly parts: readonly MessagingPart[];
  };
