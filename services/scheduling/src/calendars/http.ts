import { BodyTooLarge } from '@mostrador/kit/clients/body';
import { AddressRefused } from '@mostrador/kit/clients/egress';
import { CalendarError } from './calendar-provider.ts';

const certificateProblem = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_/;

/** The error for a request without a usable response. It shows nothing of the system's error, which tells about networks. */
export function failureOf(error: unknown, signal: AbortSignal): CalendarError {
  if (error instanceof BodyTooLarge) {
    return new CalendarError('rejected', 'calendar_answer_too_large', "The calendar's response is too large.");
  }
  if (signal.aborted) {
    return new CalendarError('unavailable', 'calendar_timeout', 'The calendar did not answer in time.', {
      outage: true,
    });
  }
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof AddressRefused) {
    const detail = 'The address is in a private network or has no TLS. Connect with a public https address.';
    return new CalendarError('refused', 'calendar_address_refused', detail);
  }
  const systemCode = cause && typeof cause === 'object' && 'code' in cause ? String(cause.code) : '';
  if (certificateProblem.test(systemCode)) {
    return new CalendarError('unavailable', 'calendar_tls_failed', 'The TLS connection to the calendar failed.', {
      outage: true,
    });
  }
  return new CalendarError('unavailable', 'calendar_unreachable', 'The calendar could not be reached.', {
    outage: true,
  });
}
