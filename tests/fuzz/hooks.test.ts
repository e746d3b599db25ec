import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Calls a hook's function with one value. The hooks need schemathesis only to register themselves. */
const program = `
import json, sys, types
class Hook:
    def __call__(self, given):
        return self if isinstance(given, str) else given
    def apply_to(self, **_):
        return lambda function: function
sys.modules["schemathesis"] = types.SimpleNamespace(hook=Hook(), check=lambda function: function)
import fuzz_hooks
print(json.dumps(getattr(fuzz_hooks, sys.argv[1])(json.loads(sys.argv[2]))))
`;

async function call(hook: '_within_years' | '_filled', value: unknown, timeZone = 'UTC'): Promise<unknown> {
  const { stdout } = await promisify(execFile)('python3', ['-B', '-c', program, hook, JSON.stringify(value)], {
    env: { ...process.env, PYTHONPATH: join(import.meta.dirname, '../e2e'), TZ: timeZone },
  });
  return JSON.parse(stdout);
}

const replaced = '2027-01-31T09:00:00Z';

test.each(['UTC', 'Pacific/Kiritimati', 'America/Sao_Paulo'])(
  'the fuzzer replaces only instants outside the years 1 to 9999, and fails at none (%s)',
  async (timeZone) => {
    const outside = ['0001-01-01T00:00:00+01:00', '9999-12-31T23:59:59-01:00'];
    const kept = [
      ...['0001-01-01', '0001-01-01T00:00:00', '9999-12-31', '9999-12-31T23:59:59'],
      ...['0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z', '2027-01-31T09:00:00-03:00', 'Corte', '', null, 1],
    ];
    expect(await call('_within_years', { list: [...outside, ...kept] }, timeZone)).toEqual({
      list: [...outside.map(() => replaced), ...kept],
    });
  },
);

test('the fuzzer fills the outer space of a text that is too long, so that it is also too long without that space', async () => {
  const outer = ' \u00a0\ufeff\n';
  expect(await call('_filled', `${outer}${'a '.repeat(98)}a${outer}`)).toBe(`xxxx${'a '.repeat(98)}axxxx`);
  expect(await call('_filled', `${outer}short${outer}`)).toBe(`${outer}short${outer}`);
});
