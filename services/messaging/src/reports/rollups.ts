import { createRollups } from '@mostrador/rollups';
import { conversationFacts } from './conversation-counts.ts';

export const conversationRollups = createRollups(conversationFacts);
