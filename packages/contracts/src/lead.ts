import { type Static, Type } from '@sinclair/typebox';
import { NullableTimestamp, NullableUuid, Phone, Timestamp, Uuid } from './common.ts';
import { LeadStatus } from './lead-status.ts';

export const Lead = Type.Object(
  {
    id: Uuid,
    store_id: Uuid,
    name: Type.String(),
    customer_phone: Phone,
    status: LeadStatus,
    seller_id: NullableUuid,
    interaction_count: Type.Integer(),
    ai_paused_until: NullableTimestamp,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Lead' },
);
export type Lead = Static<typeof Lead>;
