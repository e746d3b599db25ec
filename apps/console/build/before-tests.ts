import { compileMessages } from './messages.ts';

/** Unit tests read the compiled texts, so they are there before the first of them. */
export const setup = compileMessages;
