import { AppError } from '@mostrador/kit/rpc/errors';
import { expect, test } from 'vitest';
import { withAlternatives } from './refusals.ts';

test('a refusal is one, and counted, also when no alternatives can be found', async () => {
  const counted: unknown[] = [];
  const database = {
    lookUp: async () => {
      throw new Error('no connection');
    },
    write: async (scope: unknown) => void counted.push(scope),
  };
  const context = { storeId: 's', log: { warn: () => undefined } };
  const named = { seller_id: null, service_id: null, choice: { sellers: [], isNamed: false } };
  const search = { scheduled_at: new Date(0), named, duration_minutes: 60, appointment_id: null };
  const refuse = async () => {
    throw new AppError('appointment_conflict');
  };
  const refused = withAlternatives({ database } as never, context as never, search as never, refuse);
  await expect(refused).rejects.toMatchObject({ code: 'appointment_conflict', members: { alternatives: [] } });
  expect(counted).toEqual([context]);
});
