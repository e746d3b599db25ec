import { type Circuit, createCircuit } from '@mostrador/kit/resilience/circuit';
import { toCalendarError } from './calendar-provider.ts';

/** The circuit of the calendar connections of this process, keyed by the connection's id. */
export const createCalendarCircuit = (): Circuit =>
  createCircuit({ isOutage: (error) => toCalendarError(error).kind === 'unavailable', callsAtOnce: 4 });
