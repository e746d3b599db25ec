import type { GivenExpectation } from '@mostrador/contracts';
import { validationFailed } from '@mostrador/kit/rpc/errors';

const withValue: readonly GivenExpectation['type'][] = ['from_document', 'contains', 'not_contains'];

/** @throws AppError `validation_failed` when an expectation lacks its value, or has one that says nothing */
export function checkExpectations(expects: readonly GivenExpectation[]): void {
  const faults = expects.flatMap(({ type, value }, place) => {
    const needs = withValue.includes(type);
    if (needs === (value !== undefined)) return [];
    const detail = needs ? `is required for the type \`${type}\`` : `is not for the type \`${type}\``;
    return [{ pointer: `#/expects/${place}/value`, detail }];
  });
  if (faults.length > 0) throw validationFailed(faults);
}
