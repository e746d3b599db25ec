import { createRollups } from '@mostrador/rollups';
import { schedulingFacts } from './scheduling-counts.ts';

export const schedulingRollups = createRollups(schedulingFacts);
