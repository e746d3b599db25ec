import {
  closeConversationReports,
  closeLeadReports,
  closeSchedulingReports,
  resetConversationReports,
  resetLeadReports,
  resetSchedulingReports,
  verifyConversationReports,
  verifyLeadReports,
  verifySchedulingReports,
} from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handlers } from '@mostrador/kit/rpc/server';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../../test/platform.ts';

// The tests of the services check the answers. These tests check what the command does with them.

const day = (n: number) => `2027-01-0${n}T00:00:00.000Z`;
const wrong = {
  store_id: '0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60',
  subject: '00000000-0000-0000-0000-000000000000',
  quarter: '2027-01-02T10:15:00.000Z',
  metric: 'messages_inbound',
  is: 3,
  should_be: 4,
};
const asked: string[] = [];

const operations = {
  verifyLeadReports,
  verifyConversationReports,
  verifySchedulingReports,
  resetLeadReports,
  resetConversationReports,
  resetSchedulingReports,
  closeLeadReports,
  closeConversationReports,
  closeSchedulingReports,
};
/** Services answer in two parts. Messaging has a wrong quarter-hour in its second; scheduling was never closed. */
const verify =
  (service: string, found: (typeof wrong)[]) => async (_: unknown, request: { body: { after: string | null } }) => {
    asked.push(`${service} ${request.body.after}`);
    const again = request.body.after !== null;
    return { closed_until: day(3), next: again ? null : day(2), quarters: 5, wrong: again ? found : [] };
  };
const close = (service: string) => async () => {
  asked.push(`close ${service}`);
  const more = asked.at(-2) !== `close ${service}`;
  return { closed_until: day(more ? 1 : 3), more };
};
const reset = (service: string) => async () => {
  asked.push(`reset ${service}`);
  return { quarters: 7 };
};
const handlers: Handlers<typeof operations> = {
  verifyLeadReports: verify('crm', []),
  verifyConversationReports: verify('messaging', [wrong]),
  verifySchedulingReports: async () => ({ closed_until: null, next: null, quarters: 0, wrong: [] }),
  resetLeadReports: reset('crm'),
  resetConversationReports: reset('messaging'),
  resetSchedulingReports: async () => {
    throw new AppError('service_unavailable');
  },
  closeLeadReports: close('crm'),
  closeConversationReports: close('messaging'),
  closeSchedulingReports: close('scheduling'),
};

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform(operations, handlers);
});
afterAll(() => platform?.stop());
beforeEach(() => {
  asked.length = 0;
});

const admin = (...argv: string[]) => platform.run(['report', ...argv]);

test('verify reads every part of every service, lists what is wrong and exits with 1', async () => {
  const told = await admin('verify');
  expect(told).toMatchObject({ exitCode: 1, err: '' });
  expect(told.out).toMatch(/^crm +2027-01-03T00:00:00.000Z +10 +0$/m);
  expect(told.out).toMatch(/^messaging +2027-01-03T00:00:00.000Z +10 +1$/m);
  expect(told.out).toMatch(/^scheduling +- +0 +0$/m);
  expect(told.out).toMatch(/ - +2027-01-02T10:15:00.000Z +messages_inbound +3 +4$/m);
  expect(asked).toEqual(['crm null', `crm ${day(2)}`, 'messaging null', `messaging ${day(2)}`]);

  const { exitCode, out } = await admin('verify', '--json');
  expect(exitCode).toBe(1);
  expect(JSON.parse(out).services).toEqual([
    { service: 'crm', closed_until: day(3), quarters: 10, wrong: [] },
    { service: 'messaging', closed_until: day(3), quarters: 10, wrong: [wrong] },
    { service: 'scheduling', closed_until: null, quarters: 0, wrong: [] },
  ]);
});

test('verify exits with 0 when nothing is wrong', async () => {
  expect(await admin('verify', '--service', 'crm')).toMatchObject({ exitCode: 0, err: '' });
  expect(asked).toEqual(['crm null', `crm ${day(2)}`]);
});

test('rebuild resets the rollups and closes quarter-hours until none is left', async () => {
  const { exitCode, out } = await admin('rebuild', '--service', 'messaging', '--json');
  expect(exitCode).toBe(0);
  expect(JSON.parse(out)).toEqual({ services: [{ service: 'messaging', forgotten: 7, closed_until: day(3) }] });
  expect(asked).toEqual(['reset messaging', 'close messaging', 'close messaging']);
});

test('the exit code is 3 for a service that does not answer and 2 for an unknown service', async () => {
  expect(await admin('rebuild', '--service', 'scheduling')).toMatchObject({ exitCode: 3, out: '' });
  expect(await admin('rebuild', '--service', 'gateway')).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining('--service must be one of crm, messaging, scheduling'),
  });
});
