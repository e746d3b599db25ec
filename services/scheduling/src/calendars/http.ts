import { CalendarError } from './calendar-provider.ts';

/** A calendar's answers are small; what is longer is not read. */
const maxAnswerBytes = 256 * 1024;

/**
 * The whole text of an answer.
 *
 * @throws CalendarError `rejected` when it is longer than any calendar's answer should be.
 */
export async function readBounded(response: Response): Promise<string> {
  if (!response.body) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the rest of the body.
    if (bytes > maxAnswerBytes) {
      throw new CalendarError('rejected', 'calendar_answer_too_large', "The calendar's answer is too large.");
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const certificateProblem = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_/;

/** What became of a request without an answer. Only the system's error code is told: its text may name addresses. */
export function failureOf(error: unknown, signal: AbortSignal): CalendarError {
  if (signal.aborted) {
    return new CalendarError('unavailable', 'calendar_timeout', 'The calendar did not answer in time.');
  }
  const cause = error instanceof Error ? error.cause : undefined;
  const systemCode = cause && typeof cause === 'object' && 'code' in cause ? String(cause.code) : undefined;
  const suffix = systemCode ? ` (${systemCode})` : '';
  if (systemCode && certificateProblem.test(systemCode)) {
    return new CalendarError('unavailable', 'calendar_tls_failed', `No secure connection to the calendar${suffix}.`);
  }
  return new CalendarError('unavailable', 'calendar_unreachable', `The calendar could not be reached${suffix}.`);
}
