import type { ProviderCircuitOptions } from '@mostrador/kit/resilience/provider-circuit';
import { CalendarError } from './calendar-provider.ts';

/** 24 calls leave a process, which runs 32 steps at once, room for other calendars while one provider hangs. */
export const calendarCircuit: ProviderCircuitOptions = {
  outageOf: (error) => (error instanceof CalendarError ? (error.outage ?? answeredBy(error)) : undefined),
  callsAtOnce: 4,
  callsPerOrigin: 20,
  firstCallsPerOrigin: 4,
};

/** A refusal can come before any call, for example of an address in a private network. */
const answeredBy = ({ kind }: CalendarError) => (kind === 'throttled' || kind === 'rejected' ? false : undefined);
