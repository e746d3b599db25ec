import { beforeAll, expect, test } from 'vitest';
import { prepareSchemathesis, runSchemathesis } from './fuzz-schemathesis.ts';
import { gatewayUrl, newStore } from './platform.ts';

// To search further: npm run fuzz, or MOSTRADOR_FUZZ_SEED=7 MOSTRADOR_FUZZ_EXAMPLES=200 npm test -- fuzz
const seed = process.env.MOSTRADOR_FUZZ_SEED || '1';
const examples = process.env.MOSTRADOR_FUZZ_EXAMPLES;
const limitMs = examples ? 3_600_000 : 300_000;

beforeAll(prepareSchemathesis);

test('whatever a fuzzer makes of the API document, answers are as the document says, and never a 5xx', {
  timeout: limitMs + 10_000,
}, async () => {
  const { key } = await newStore({ arguments: ['--rate-limit', '1000000'] });
  const documentUrl = `${gatewayUrl}/docs/json`;
  const { report, exitCode } = await runSchemathesis({ documentUrl, key, seed, examples, limitMs });
  expect(exitCode, report).toBe(0);
  // It was let in, and tried every operation at the platform itself.
  const [, selected, all] = /Selected: (\d+)\/(\d+)/.exec(report) ?? [];
  expect([selected, report]).toEqual([all, expect.stringContaining(`Tested: ${all}`)]);
  expect(report).toContain(`${gatewayUrl}/integrations/v1`);
});
