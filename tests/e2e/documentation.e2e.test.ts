import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { addresses, document, type Json, newStore, storeOf } from './platform.ts';

type Sample = { lang: string; source: string };
type Documented = {
  name: string;
  samples: Record<string, string>;
  responses: Record<string, unknown>;
  hasIds: boolean;
};

const run = promisify(execFile);
/** The ids of the samples are those of the demo store. */
const someId = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-/;

let key: string;
let operations: Documented[];

beforeAll(async () => {
  key = (await newStore()).key;
  const { paths } = await document('/openapi.json');
  operations = Object.entries<Json>(paths).flatMap(([path, item]) =>
    Object.entries<Json>(item)
      .filter(([, operation]) => operation.operationId && operation.security?.length !== 0)
      // The sample of the stream has no end: events.e2e.test.ts reads it.
      .filter(([, operation]) => !operation.responses[200]?.content?.['text/event-stream'])
      .map(([method, operation]) => {
        const samples = Object.fromEntries(
          (operation['x-codeSamples'] as Sample[]).map(({ lang, source }) => [lang, source]),
        );
        const name = `${method.toUpperCase()} ${path}`;
        return { name, samples, responses: operation.responses, hasIds: someId.test(samples.shell ?? '') };
      }),
  );
});

const runSample = async (shell: string | undefined, apiKey: string) => {
  const env = { ...process.env, MOSTRADOR_API_KEY: apiKey };
  const { stdout } = await run('sh', ['-c', `${shell} -s -w '\\n%{http_code}'`], { env });
  const [, body = '', status = ''] = /^([\s\S]*)\n(\d+)$/.exec(stdout) ?? [];
  return { body, status };
};

test('every curl sample is a request that the API accepts: the answer is a success, or 404 for another store’s id', async () => {
  expect(operations.length).toBeGreaterThan(30);
  const wrong: string[] = [];
  let successes = 0;
  for (const { name, samples, hasIds, responses } of operations) {
    const { body, status } = await runSample(samples.shell, key);
    const isSuccess = status.startsWith('2') && Object.hasOwn(responses, status);
    const isMissing = hasIds && status === '404' && /_not_found"/.test(body) && !body.includes('route_not_found');
    // The sample goes on from a place that the feed of a new store does not have yet.
    const isElsewhere = name === 'GET /events' && status === '410' && body.includes('"cursor_expired"');
    if (isSuccess) successes += 1;
    else if (!isMissing && !isElsewhere) wrong.push(`${name}: ${status} ${body}`);
  }
  expect(wrong).toEqual([]);
  expect(successes).toBeGreaterThan(10);
});

test('in development every sample that reads finds something in the demo store', async () => {
  // The demo store has no webhook endpoint, because nothing would listen at its address.
  const absent = /^GET \/webhooks\/endpoints\/\{/;
  const reads = operations.filter(({ name }) => name.startsWith('GET ') && !absent.test(name));
  expect(reads.filter(({ hasIds }) => hasIds).length).toBeGreaterThan(5);
  const answers = await Promise.all(reads.map(({ samples }) => runSample(samples.shell, storeOf('pro').api_key)));
  expect(answers.filter(({ status }) => status !== '200')).toEqual([]);
});

test('the TypeScript samples run, and the Python samples are valid', async () => {
  for (const name of ['GET /store', 'GET /leads', 'PUT /leads/by-phone/{phone}']) {
    const { samples } = operations.find((each) => each.name === name) as Documented;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', samples.typescript ?? ''], {
      env: { ...process.env, MOSTRADOR_API_KEY: key },
    });
    expect(stdout, name).toMatch(/^\{/);
  }
  const sources = JSON.stringify(operations.map(({ samples }) => samples.python));
  const check = `import ast, json, sys\nfor source in json.loads(sys.argv[1]): ast.parse(source)`;
  await expect(run('python3', ['-c', check, sources])).resolves.toBeDefined();
  expect(sources).toContain(addresses.base_url);
});
