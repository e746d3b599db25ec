import { type Counts, createRollups } from '@mostrador/rollups';

/** The metrics in `report_facts` of this schema (migrations/0001-base.sql). */
const metrics = [
  'created',
  'converted',
  'lost',
  'status_pending',
  'status_in_progress',
  'status_converted',
  'status_lost',
  'assigned',
] as const;

export const leadRollups = createRollups(metrics);
export type LeadMetrics = Counts<(typeof metrics)[number]>;
