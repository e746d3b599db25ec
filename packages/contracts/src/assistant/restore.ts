import { defineFence } from '../core/restore.ts';

/** Ends the turns that were open before the restore: what they were to answer may have been answered. */
export const fenceTurns = defineFence('assistant');
