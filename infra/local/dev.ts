import { mkdirSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createChildren } from '@mostrador/local-platform/children';
import { choosePorts } from '@mostrador/local-platform/choose-ports';
import { createOutput, type Output } from '@mostrador/local-platform/output';
import { localDirectory as localDirectoryOf } from '@mostrador/local-platform/paths';
import { startPeer } from '@mostrador/local-platform/peer';
import { readSecrets } from '@mostrador/local-platform/secrets';
import { provideNats, provideTemporal, serverPorts, startPostgres } from '@mostrador/local-platform/servers/servers';
import { publicUrl, serviceSpec } from '@mostrador/local-platform/services';
import { createSupervisor, type Supervisor } from '@mostrador/local-platform/supervisor';
import { writePrivately } from '@mostrador/local-platform/write-privately';
import { collectGarbageWhenIdle } from '../../packages/kit/src/process/collect-garbage.ts';
import { withSecretFiles } from '../../packages/kit/src/process/variables.ts';
import { processNames, stopOrder } from '../../packages/platform/src/processes.ts';
import { announcement, apiUrl, devFile } from './announcement.ts';
import { provideConsole } from './console.ts';
import { holderOf, tryLock } from './lock.mjs';
import { keepOlderDataAside } from './older-data.ts';
import type { StartAnswers, StartSteps } from './start-steps.ts';

// Together under 10 s, even when every process hangs.
const processStopMs = 2000;
const serverStopMs = 3500;
/** npm forwards Ctrl-C to a child that already got it from the terminal. */
const sameSignalMs = 1000;
const parentCheckMs = 1000;

const startedAt = performance.now();
mkdirSync(localDirectoryOf(process.env), { recursive: true });
const localDirectory = realpathSync(localDirectoryOf(process.env));
const devJson = join(localDirectory, 'dev.json');
const output = createOutput(join(localDirectory, 'logs'), process.stdout);
const children = createChildren(join(localDirectory, 'children.json'));
const supervisor = createSupervisor(children, output);
let stopping = false;

stopWhenAsked(supervisor, output);
try {
  await start();
} catch (error) {
  await stop(1, (error as Error).message);
}

async function start(): Promise<void> {
  // The lock comes before everything else: the files and ports below belong to one platform at a time.
  const lockName = `platform ${localDirectory}`;
  if (!(await tryLock(lockName, String(process.pid)))) {
    output.say(`The platform already runs as process ${await holderOf(lockName)}. Its addresses are in ${devJson}.`);
    process.exit(1);
  }
  rmSync(devJson, { force: true });
  const survivors = await children.stopSurvivors(5000);
  if (survivors.length > 0) output.say(`Stopped processes of an earlier start: ${survivors.join(', ')}.`);

  keepOlderDataAside(localDirectory, output.say);
  const env = withSecretFiles(['POSTGRES_URL', 'NATS_URL', 'TEMPORAL_API_KEY'], process.env);
  const { postgresPassword: password, encryptionKeys } = readSecrets(localDirectory);
  const ports = await choosePorts(localDirectory, env, [...serverPorts(env), ...processNames, 'gatewayMetrics']);
  const serverOptions = { localDirectory, env, ports, password, start: supervisor.start, report: output.say };
  output.say('Starting the servers.');
  const steps = startPeer(join(import.meta.dirname, 'start-steps.ts'));
  steps.catch(() => {}); // every step throws it
  const step = async <Name extends keyof StartSteps>(
    name: Name,
    ...options: Parameters<StartSteps[Name]>
  ): Promise<StartAnswers[Name]> => await (await steps).call<StartAnswers[Name]>(name, options[0]);
  const [databaseUrl, natsUrl, temporal, consoleDirectory, programs] = await allOrEveryFault([
    startPostgres(serverOptions).then((serverUrl) => step('prepareDatabase', { serverUrl, env, password })),
    provideNats(serverOptions),
    provideTemporal(serverOptions),
    provideConsole(),
    step('providePrograms'),
  ]);

  const servers = { databaseUrl, natsUrl, ...temporal };
  const shutdownTimeoutMs = processStopMs - 200;
  const processOptions = {
    localDirectory,
    env,
    ports,
    password,
    encryptionKeys,
    shutdownTimeoutMs,
    consoleDirectory,
    programs,
  };
  const specs = processNames.map((name) => serviceSpec(name, { ...servers, ...processOptions }));
  output.say('Starting the services.');
  await Promise.all(specs.map(supervisor.start));

  const addresses = { natsUrl, baseUrl: apiUrl(ports), publicUrl: publicUrl(ports) };
  const demo =
    env.MOSTRADOR_DEMO === 'off' ? undefined : await step('provideDemo', { localDirectory, ...addresses, env });
  await (await steps).stop();
  const dev = devFile(ports, servers, demo);
  writePrivately(devJson, dev);
  output.say(announcement(dev, (performance.now() - startedAt) / 1000));
  output.showAll();
  collectGarbageWhenIdle();
}

/** Like Promise.all, but throws every error at once, because a machine without Go lacks more than one server. */
async function allOrEveryFault<T extends readonly unknown[]>(work: { [K in keyof T]: Promise<T[K]> }): Promise<T> {
  const settled = await Promise.allSettled(work);
  const faults = settled.filter((result) => result.status === 'rejected');
  if (faults.length > 0) throw new Error(faults.map(({ reason }) => (reason as Error).message).join('\n\n'));
  return Promise.all(work) as Promise<unknown> as Promise<T>;
}

function stopWhenAsked(supervisor: Supervisor, output: Output): void {
  let askedAt: number | undefined;
  const ask = (why: string) => {
    if (askedAt === undefined) {
      askedAt = performance.now();
      void stop(0, `Stopping (${why}).`);
    } else if (performance.now() - askedAt > sameSignalMs) {
      output.say('Stopping at once.');
      supervisor.killAll();
      process.exit(130);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ask(signal));
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent && askedAt === undefined) ask('npm has ended');
  }, parentCheckMs).unref();
}

/** Runs only once. A signal during the start also makes the start fail, so both call it. */
async function stop(exitCode: number, why: string): Promise<void> {
  if (stopping) return;
  stopping = true;
  output.say(why);
  supervisor.startNoMore();
  for (const group of stopOrder) await supervisor.stop(group, processStopMs);
  await supervisor.stop(['postgres', 'nats', 'temporal'], serverStopMs);
  rmSync(devJson, { force: true });
  if (exitCode === 0) output.say('Stopped.');
  process.exit(exitCode);
}
