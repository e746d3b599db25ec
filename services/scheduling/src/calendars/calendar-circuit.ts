import { createGate, type Gate } from '@mostrador/kit/resilience/circuit';
import { toCalendarError } from '../calendar-sync/next-move.ts';

/** One for all calendar connections of this process. */
export const createCalendarGate = (): Gate =>
  createGate({ isOutage: (error) => toCalendarError(error).kind === 'unavailable', callsAtOnce: 4 });
