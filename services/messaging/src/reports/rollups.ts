import { createRollups } from '@mostrador/kit/rollups';
import { conversationFacts } from './conversation-counts.ts';

export const conversationRollups = createRollups(conversationFacts);
