import type { SystemDatabase } from '@mostrador/kit/database/database';
import { testContext } from '@mostrador/testing/context';
import { expect, test } from 'vitest';
import { requireSession } from './session.ts';

test('an operation whose contract names no role lets no session in', async () => {
  const asking = requireSession({} as SystemDatabase, testContext());
  await expect(asking).rejects.toThrow('the contract does not say who may call');
});
