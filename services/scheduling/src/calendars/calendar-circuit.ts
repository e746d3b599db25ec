import { type Circuit, createCircuit } from '@mostrador/kit/resilience/circuit';
import { toCalendarError } from './calendar-provider.ts';

/** One for all calendar connections of this process. */
export const createCalendarCircuit = (): Circuit =>
  createCircuit({ isOutage: (error) => toCalendarError(error).kind === 'unavailable', callsAtOnce: 4 });
