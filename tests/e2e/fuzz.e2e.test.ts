import { beforeAll, expect, test } from 'vitest';
import { prepareSchemathesis, runSchemathesis } from './fuzz-schemathesis.ts';
import { gatewayUrl, newStore } from './platform.ts';

// For a longer search: npm run fuzz, or MOSTRADOR_FUZZ_SEED=7 MOSTRADOR_FUZZ_EXAMPLES=200 npm test -- fuzz
const seed = process.env.MOSTRADOR_FUZZ_SEED || '1';
const examples = process.env.MOSTRADOR_FUZZ_EXAMPLES;
/** What fuzz.toml leaves out: the stream of events does not end. */
const untested = ['GET /events/stream'];
const limitMs = examples ? 3_600_000 : 900_000;

beforeAll(prepareSchemathesis);

test('every answer to a fuzzer matches the API document and is not a 5xx', {
  timeout: limitMs + 10_000,
}, async () => {
  const { key } = await newStore({ arguments: ['--rate-limit', '1000000'] });
  const documentUrl = `${gatewayUrl}/docs/json`;
  const { report, exitCode } = await runSchemathesis({ documentUrl, key, seed, examples, limitMs });
  expect(exitCode, report).toBe(0);
  // Its key was accepted, and it tested every operation on this platform.
  const [, selected, all] = /Selected: (\d+)\/(\d+)/.exec(report) ?? [];
  expect([Number(selected), report]).toEqual([
    Number(all) - untested.length,
    expect.stringContaining(`Tested: ${selected}`),
  ]);
  expect(report).toContain(`${gatewayUrl}/integrations/v1`);
});
