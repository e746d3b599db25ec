import { type ErrorCode, errorCatalogue, type WireError } from '@mostrador/contracts';
import { describe, expect, test } from 'vitest';
import { AppError, allChecks, fromWireError, toWireError, validationFailed } from './errors.ts';

test.each<[thrown: unknown[], code: string]>([
  [['lead_opted_out', 'seller_not_found', 'validation_failed', 'lead_not_found'], 'validation_failed'],
  [['lead_opted_out', 'service_unavailable', 'seller_not_found', 'lead_not_found'], 'seller_not_found'],
  [['lead_opted_out', 'followup_not_pending'], 'lead_opted_out'],
  [['validation_failed', new RangeError()], 'RangeError'],
])('of the failed checks %j the request gets %s', async (thrown, code) => {
  const checks = thrown.map(async (each) => {
    throw typeof each === 'string' ? new AppError(each as ErrorCode) : each;
  });
  await expect(allChecks([Promise.resolve(), ...checks])).rejects.toMatchObject(
    code === 'RangeError' ? { name: code } : { code },
  );
});

test('checks that hold throw nothing', async () => {
  await expect(allChecks([])).resolves.toBeUndefined();
  await expect(allChecks([Promise.resolve(1)])).resolves.toBeUndefined();
});

describe('an error on the wire', () => {
  test('keeps its code, detail, members and retry-after, for every code', () => {
    for (const code of Object.keys(errorCatalogue) as ErrorCode[]) {
      const error = new AppError(code, { detail: 'why', members: { id: 'x' }, retryAfterSeconds: 3 });
      const back = fromWireError(JSON.parse(JSON.stringify(toWireError(error))));
      expect(back).toMatchObject({ code, detail: 'why', members: { id: 'x' }, retryAfterSeconds: 3 });
      expect(back.status).toBe(errorCatalogue[code].status);
    }
  });

  test('has the catalogue’s description as its default detail', () => {
    expect(toWireError(new AppError('lead_not_found'))).toEqual({
      code: 'lead_not_found',
      detail: errorCatalogue.lead_not_found.description,
    });
  });

  test.each([new Error('secret'), 'secret', { code: 'lead_not_found', detail: 'secret' }, null])(
    'that is not an AppError becomes internal_error and reveals nothing',
    (thrown) => {
      expect(toWireError(thrown)).toEqual({
        code: 'internal_error',
        detail: errorCatalogue.internal_error.description,
      });
    },
  );

  test('never carries its cause', () => {
    const error = new AppError('service_unavailable', { cause: new Error('10.0.0.7 refused') });
    expect(JSON.stringify(toWireError(error))).not.toContain('10.0.0.7');
  });

  test.each(['of_tomorrow', 'constructor', '__proto__'])('with the unknown code %s becomes internal_error', (code) => {
    expect(fromWireError({ code, detail: '' } as unknown as WireError).code).toBe('internal_error');
  });
});

test.each([
  [['is required'], '#/to is required.'],
  [['is required', 'x'], '#/to is required (and 1 more, see errors).'],
  [['From this time of day, such as `09:00`.'], '#/to From this time of day, such as `09:00`.'],
  [['Use an https address.', 'x'], '#/to Use an https address (and 1 more, see errors).'],
])('the detail of validation_failed for %j ends with one full stop', (details, detail) => {
  expect(validationFailed(details.map((each) => ({ pointer: '#/to', detail: each }))).detail).toBe(detail);
});
