import type { NextStep } from '@mostrador/contracts';
import { toTimestamp } from '@mostrador/kit/rpc/validate';

// What a step tells operators. Codes only: what a channel says is for the API, not for a workflow's history.
export const done = (reason: string): NextStep => ({ done: true, wake_at: null, reason });
export const wait = (until: Date, reason: string): NextStep => ({ done: false, wake_at: toTimestamp(until), reason });
export const outsideWindow = 'it waits for the sending window';
export const lookAgain = (): NextStep => wait(new Date(), 'the follow-up has changed meanwhile');
