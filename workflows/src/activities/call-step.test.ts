import { AppError } from '@mostrador/kit/rpc/errors';
import { describe, expect, test } from 'vitest';
import { toFailure } from './call-step.ts';

describe('a failed step', () => {
  test.each(['service_unavailable', 'upstream_timeout', 'internal_error'] as const)('is retried after %s', (code) => {
    expect(toFailure(new AppError(code))).toMatchObject({ type: code, nonRetryable: false });
  });

  test.each(['validation_failed', 'appointment_not_found'] as const)('is not retried after %s', (code) => {
    expect(toFailure(new AppError(code))).toMatchObject({ type: code, nonRetryable: true });
  });

  test('is retried after an unexpected error', () => {
    expect(toFailure(new TypeError('x is undefined'))).toMatchObject({ type: 'internal_error', nonRetryable: false });
  });

  test('writes only the code and its title into the history', () => {
    const failure = toFailure(new AppError('validation_failed', { detail: 'Maria, 5511999990000' }));
    expect(failure.message).toBe('Request not valid');
    expect(failure.stack).toBe('');
    expect(failure.cause).toBeUndefined();
  });
});
