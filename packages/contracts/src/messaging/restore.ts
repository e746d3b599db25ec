import { defineFence } from '../core/restore.ts';

/** Makes messages that were accepted before the restore and not sent yet `unknown`. */
export const fenceMessages = defineFence('messaging');
