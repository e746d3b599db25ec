import { expect, test } from 'vitest';
import { AppError } from '../rpc/errors.ts';
import { serializeError } from './log.ts';

const timeout = Object.assign(new Error('TIMEOUT'), { code: 'TIMEOUT' });
const unanswered = new Error('crm did not answer in time', { cause: timeout });

test('of a foreseen error the log shows what its causes say, without stacks', () => {
  expect(serializeError(new AppError('upstream_timeout', { detail: 'No answer.', cause: unanswered }))).toEqual({
    type: 'AppError',
    message: 'upstream_timeout: No answer.',
    code: 'upstream_timeout',
    cause: {
      type: 'Error',
      message: 'crm did not answer in time',
      cause: { type: 'Error', message: 'TIMEOUT', code: 'TIMEOUT' },
    },
  });
});

test('a last cause without a code keeps its stack, because it may be a mistake in the code', () => {
  const cause = new TypeError('rows is not iterable');
  expect(serializeError(new AppError('service_unavailable', { detail: 'Later.', cause }))).toMatchObject({
    cause: { type: 'TypeError', stack: expect.stringContaining('log.test.ts') },
  });
});

test('any other error has its stack, also above a foreseen one', () => {
  const stack = expect.stringContaining('log.test.ts');
  expect(serializeError(unanswered)).toMatchObject({ stack, cause: { code: 'TIMEOUT', stack: expect.any(String) } });
  expect(serializeError(new AppError('internal_error', { cause: timeout }))).toMatchObject({ stack });
});
