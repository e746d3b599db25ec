import { createGate, type Gate } from '@mostrador/kit/resilience/circuit';
import { toCalendarError } from './sync-attempt.ts';

/** One for all calendar connections of this process. */
export const createCalendarGate = (): Gate =>
  createGate({ isOutage: (error) => toCalendarError(error).kind === 'unavailable', callsAtOnce: 4 });
