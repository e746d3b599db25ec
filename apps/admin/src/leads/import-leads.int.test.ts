import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { accountsOperations } from '@mostrador/contracts';
import { createRpcServer, type Handlers } from '@mostrador/kit/rpc/server';
import { silentLog } from '@mostrador/testing/context';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../../../services/crm/test/crm.ts';
import { storeRecord } from '../../test/platform.ts';
import { runAt } from '../../test/run-here.ts';

// Three batches of each of the four queues.
const rowCount = 6_000;
/** In the second batch of its queue. */
const heldRow = 2_345;
const phoneOf = (n: number) => String(5_511_900_000_000 + n);

const { listStores } = accountsOperations;
const operations = { listStores };
const inBrazil = randomUUID();
/** The command asks accounts for the store. This one knows every store. */
const handlers: Handlers<typeof operations> = {
  listStores: async (_context, { body: { store_id: id = '' } }) => ({
    stores: [storeRecord(id, { country: id === inBrazil ? 'BR' : null })],
    more: false,
  }),
};

let crm: TestCrm;
let gateway: { drain(): Promise<void> };
let folder: string;

beforeAll(async () => {
  crm = await startCrm();
  gateway = createRpcServer({
    nats: crm.nats.nats,
    service: 'gateway',
    log: silentLog(),
    operations,
    handlers,
  });
  await crm.nats.nats.flush();
  folder = await mkdtemp(join(tmpdir(), 'mostrador-import-'));
});

afterAll(async () => {
  await gateway?.drain();
  await crm?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});

async function newFile(lines: readonly string[]): Promise<string> {
  const path = join(folder, `${randomUUID()}.csv`);
  await writeFile(path, `${lines.join('\n')}\n`);
  return path;
}

const goodFile = () =>
  newFile(['name,customer_phone', ...Array.from({ length: rowCount }, (_, n) => `Lead ${n},${phoneOf(n)}`)]);

/** Starts the command and does not wait for its end. */
function start(argv: string[]): {
  child: ChildProcess;
  ended: Promise<{ out: string; err: string; code: number | null }>;
} {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../main.ts'), 'lead', 'import', ...argv], {
    env: { ...process.env, NATS_URL: crm.nats.url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const ended = Promise.all([text(child.stdout), text(child.stderr), exited]).then(([out, err, code]) => ({
    out,
    err,
    code,
  }));
  return { child, ended };
}

const here = async (verb: string, storeId: string, ...options: string[]) => {
  const { exitCode: code, ...ended } = await runAt(crm.nats.url, ['lead', verb, '--store', storeId, ...options]);
  return { ...ended, code };
};
const run = (storeId: string, path: string) => here('import', storeId, '--json', path);

const countOf = async (storeId: string): Promise<number> => {
  const [row] = await crm.adminSql`select count(*)::int as n from leads where store_id = ${storeId}`;
  return row?.n;
};

/** Blocks one phone of the store with an uncommitted insert. An import waits at that row until the release. */
async function hold(storeId: string, n: number): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const rolledBack = new Error('rolled back');
  const over = crm.adminSql
    .begin(async (sql) => {
      await sql`insert into leads (store_id, name, customer_phone) values (${storeId}, 'held', ${phoneOf(n)})`;
      held.resolve();
      await release.promise;
      throw rolledBack;
    })
    .catch((error) => {
      held.reject(error);
      if (error !== rolledBack) throw error;
    });
  await held.promise;
  return async () => {
    release.resolve();
    await over;
  };
}

/** Waits until the import waits at the blocked phone: 25 looks in a row find the same number of leads. */
async function untilHalted(storeId: string): Promise<number> {
  let last = { count: -1, looks: 0 };
  await waitFor(
    async () => {
      const count = await countOf(storeId);
      last = { count, looks: count === last.count ? last.looks + 1 : 1 };
      return count > 0 && last.looks === 25;
    },
    { description: 'the import waits at the blocked phone' },
  );
  return last.count;
}

test('every valid row becomes one lead, and every other row is rejected with its line and reason', async () => {
  const lines = [
    '\ufeffCustomer_Phone;Name;Status',
    ...Array.from({ length: rowCount }, (_, n) => `${phoneOf(n)};L${n};`),
  ];
  lines[10] = '+55 (11) 90000-0009;"Two\nlines";lost';
  lines[20] = '123;Short;';
  lines[30] = `${phoneOf(29)};"Open;`;
  lines[40] = `${phoneOf(39)};=1+1;won`;
  lines[50] = `${phoneOf(0)};A second of the first;`;
  const path = await newFile(lines);
  // A busy machine may lose an answer: then what it created counts as existing. Another store gets the file again.
  const { storeId, out, err, code } = await waitFor(
    async () => {
      const storeId = randomUUID();
      const ended = await run(storeId, path);
      return JSON.parse(ended.out).answers_lost === 0 && { storeId, ...ended };
    },
    { description: 'an import loses no answer' },
  );
  expect({ ...JSON.parse(out), seconds: 0 }).toEqual({
    complete: true,
    rows: rowCount,
    created: rowCount - 4,
    existing: 1,
    rejected: 3,
    rejected_file: `${path}.rejected.csv`,
    phones_changed: 1,
    answers_lost: 0,
    seconds: 0,
  });
  expect([err, code]).toEqual(['', 1]);
  expect(await countOf(storeId)).toBe(rowCount - 4);
  const odd = await crm.adminSql`
    select name, status from leads
    where store_id = ${storeId} and customer_phone in (${phoneOf(9)}, ${phoneOf(0)}) order by customer_phone`;
  expect(odd).toEqual([
    { name: 'L0', status: 'pending' },
    { name: 'Two\nlines', status: 'lost' },
  ]);
  const rejected = (await readFile(`${path}.rejected.csv`, 'utf8')).split('\r\n');
  expect(rejected).toEqual([
    'line;reason;Customer_Phone;Name;Status',
    expect.stringMatching(/^22;"customer_phone must be a phone number.+";123;Short;$/),
    expect.stringMatching(/^32;.*quotation marks.*;/),
    expect.stringMatching(/^42;.*status must be one of.*;5511900000039;'=1\+1;won$/),
    '',
  ]);
});

test('national phones are completed with the country of the store, and the two forms of a phone are one lead', async () => {
  const path = await newFile(['name,customer_phone', 'Maria,(31) 97777-6666', 'M.,553177776666', 'Ana,031 3222-1234']);
  const { out } = await run(inBrazil, path);
  expect(JSON.parse(out)).toMatchObject({ created: 2, existing: 1, rejected: 0, phones_changed: 2 });
  const rows = await crm.adminSql`
    select customer_phone from leads where store_id = ${inBrazil} order by customer_phone`;
  expect(rows.map((row) => row.customer_phone)).toEqual(['553132221234', '5531977776666']);
});

test('`lead duplicates` lists the leads from before that have one phone in two forms', async () => {
  const storeId = randomUUID();
  const list = (...more: string[]) => here('duplicates', storeId, ...more);
  expect((await list()).out).toContain('There are no duplicates.');
  const [one, two] = ['553177776666', '5531977776666'];
  await crm.adminSql`
    insert into leads (store_id, name, customer_phone)
    values (${storeId}, 'Maria', ${one}), (${storeId}, 'Maria C.', ${two}), (${storeId}, 'Ana', '553177776667')`;
  const { out, code } = await list('--json');
  expect(code).toBe(0);
  const { duplicates } = JSON.parse(out);
  expect(duplicates).toMatchObject([[{ customer_phone: one }, { customer_phone: two }]]);
  expect((await list()).out).toMatch(/553177776666 .*Maria .*pending .*\n5531977776666 .*Maria C\. /);
});

test('an import that is killed and run again creates every lead exactly once', async () => {
  const [storeId, path] = [randomUUID(), await goodFile()];
  const release = await hold(storeId, heldRow);
  const { child, ended } = start(['--store', storeId, path]);
  const halfway = await untilHalted(storeId);
  child.kill('SIGKILL');
  await ended;
  await release();
  expect(halfway).toBeLessThan(rowCount);
  const { out, code } = await run(storeId, path);
  const { created, existing } = JSON.parse(out);
  expect([code, created + existing, await countOf(storeId)]).toEqual([0, rowCount, rowCount]);
  expect(existing).toBeGreaterThanOrEqual(halfway);
});

test('Ctrl-C waits for the batches in flight and prints the counts, and the same command continues', async () => {
  const [storeId, path] = [randomUUID(), await goodFile()];
  const release = await hold(storeId, heldRow);
  const { child, ended } = start(['--store', storeId, path]);
  await untilHalted(storeId);
  child.kill('SIGINT');
  await release();
  const { out, err, code } = await ended;
  const created = Number(/^created +(\d+)$/m.exec(out)?.[1]);
  const count = await countOf(storeId);
  expect([code, err]).toEqual([130, expect.stringContaining('Run the same command again to continue')]);
  // A busy machine may lose an answer, and the command says so.
  if (!err.includes('Some answers were lost')) expect(created).toBe(count);
  expect(created).toBeLessThanOrEqual(count);
  expect(count).toBeLessThan(rowCount);
  const again = JSON.parse((await run(storeId, path)).out);
  expect(again).toMatchObject({ complete: true, rejected: 0 });
  expect(again.created + again.existing).toBe(rowCount);
  if (again.answers_lost === 0) expect(again.existing).toBe(count);
  expect(await countOf(storeId)).toBe(rowCount);
});

test('an import waits for a NATS server that restarts', async () => {
  const [storeId, path] = [randomUUID(), await goodFile()];
  const release = await hold(storeId, heldRow);
  const { ended } = start(['--store', storeId, path]);
  await untilHalted(storeId);
  await crm.nats.stopServer();
  await release();
  await crm.nats.startServer();
  const { out, code } = await ended;
  expect([code, out, await countOf(storeId)]).toEqual([
    0,
    expect.stringMatching(new RegExp(`^rows read +${rowCount}$`, 'm')),
    rowCount,
  ]);
});

test('an import prints its counts and how to continue when the platform stays away', async () => {
  const [storeId, path] = [randomUUID(), await goodFile()];
  const release = await hold(storeId, heldRow);
  const { ended } = start(['--store', storeId, '--patience', '1', path]);
  await untilHalted(storeId);
  await crm.nats.stopServer();
  const { out, err, code } = await ended;
  await release();
  await crm.nats.startServer();
  expect(code).toBe(3);
  expect(out).toMatch(/^created +\d+$/m);
  expect(err).toContain('Run the same command again to continue');
  await waitFor(async () => (await run(storeId, path)).code === 0, {
    description: 'the import completes',
  });
  expect(await countOf(storeId)).toBe(rowCount);
});

test('a file that is no CSV file of leads is rejected before the command calls the platform', async () => {
  const storeId = randomUUID();
  const faulty = await newFile(['phone,mail', '1,2']);
  const utf16 = await newFile([]);
  await writeFile(utf16, Buffer.from('\ufeffname,customer_phone\n', 'utf16le'));
  const answers = await Promise.all([faulty, utf16, `${faulty}.none`, folder].map((path) => run(storeId, path)));
  expect(answers.map(({ code }) => code)).toEqual([2, 2, 2, 2]);
  expect(answers.map(({ err }) => JSON.parse(err).error.detail)).toEqual([
    expect.stringContaining('no column name'),
    expect.stringContaining('UTF-8'),
    expect.stringContaining('does not exist'),
    expect.stringContaining('EISDIR'),
  ]);
});
