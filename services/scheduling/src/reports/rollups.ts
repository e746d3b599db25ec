import { createRollups } from '@mostrador/kit/rollups';
import { schedulingFacts } from './scheduling-counts.ts';

export const schedulingRollups = createRollups(schedulingFacts);
