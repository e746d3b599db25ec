import { eventStream } from '@mostrador/contracts';
import { createLog } from '@mostrador/kit/process/log';
import { connectNats, type NatsConnection, natsAddress, unlessMissing } from '@mostrador/kit/rpc/nats';
import type { NatsUser } from '@mostrador/platform/servers';
import { ownPermissions, type Permissions, permissionsOf } from '../../../../../infra/nats/users.ts';
import type { DeploymentConfig } from '../../config.ts';
import { natsRemedy } from '../../nats-remedy.ts';
import { type NatsSecret, natsSecrets } from '../secret-files.ts';
import { pathOf, readSecret } from '../secrets-folder.ts';
import type { Finding } from './finding.ts';

/** As `infra/nats/server.conf` sets it. */
const payloadBytes = 8 * 1024 ** 2;
const answerLimitMs = 3_000;
/** JetStream's error code (https://github.com/nats-io/nats-server/blob/main/server/errors.json). */
const streamNotFound = 10_059;

const useConf = 'give nats-server infra/nats/users.conf of this version, and reload it';

/** Logs in as each user, and compares what the server lets it do with what this version needs. */
export async function checkNats(folder: string, config: DeploymentConfig): Promise<Finding[]> {
  const findings = await Promise.all(natsSecrets.map((secret) => checkUser(folder, config, secret)));
  // A server that none reaches is one finding, with the first file that leads there.
  return [...new Map(findings.flat().map((each) => [each.what, each])).values()];
}

const finding = (what: string, ok: boolean, detail: string): Finding => ({ server: 'nats', what, ok, detail });

async function checkUser(folder: string, config: DeploymentConfig, secret: NatsSecret): Promise<Finding[]> {
  const { natsUser: user } = secret;
  const what = `user ${user}`;
  const url = await readSecret(folder, secret);
  if (!url)
    return [finding(what, false, `${pathOf(secret)} is missing: write it with \`secrets generate --add-missing\`.`)];
  const log = createLog({ service: 'admin', level: 'silent', format: 'json' });
  const address = natsAddress({ ...config, NATS_URL: url });
  let nats: NatsConnection;
  try {
    nats = await connectNats({ ...address, name: user, log, firstMustWork: true });
  } catch (error) {
    return [loginFault(error as Error & { code?: string }, url, secret)];
  }
  try {
    const permissions = await checkPermissions(nats, user);
    return user === 'admin' ? [permissions, payloadFinding(nats), await checkStream(nats)] : [permissions];
  } finally {
    await nats.close();
  }
}

function loginFault({ code, message }: Error & { code?: string }, url: string, secret: NatsSecret): Finding {
  if (code === 'AUTHORIZATION_VIOLATION' || code === 'AUTHENTICATION_EXPIRED') {
    const detail = `NATS rejects the login: start nats-server with the passwords in nats.env, and ${useConf}.`;
    return finding(`user ${secret.natsUser}`, false, detail);
  }
  const servers = url.replace(/[^,]*@/g, '').replace(/^[a-z]+:\/\//, '');
  const detail = `NATS does not answer at the address in ${pathOf(secret)}: ${natsRemedy(message)} (${message})`;
  return finding(`server ${servers}`, false, `${detail}.`);
}

type Answer = {
  readonly data?: {
    readonly permissions?: {
      readonly publish?: { readonly allow?: readonly string[] };
      readonly subscribe?: { readonly allow?: readonly string[] };
      readonly responses?: unknown;
    };
  };
};

async function checkPermissions(nats: NatsConnection, user: NatsUser): Promise<Finding> {
  const what = `user ${user}`;
  const answer = await nats
    .request(ownPermissions, '', { timeout: answerLimitMs })
    .then((message) => message.json<Answer>())
    .catch(() => undefined);
  if (!answer) return finding(what, false, `logs in, but its permissions are of another version: ${useConf}.`);
  const { publish, subscribe, responses } = answer.data?.permissions ?? {};
  const given: Permissions = {
    publish: publish?.allow ?? ['>'],
    subscribe: subscribe?.allow ?? ['>'],
    answers: responses !== undefined,
  };
  const differences = differencesOf(given, permissionsOf(user));
  if (differences.length === 0) return finding(what, true, 'logs in, and has its permissions');
  return finding(what, false, `${differences.join('; ')}: ${useConf}.`);
}

/** In what the permissions of a user differ from those that it needs. */
function differencesOf(given: Permissions, needed: Permissions): string[] {
  const without = (all: readonly string[], others: readonly string[]) => all.filter((each) => !others.includes(each));
  const named = (text: string, subjects: readonly string[]) =>
    subjects.length === 0 ? [] : [`${text} ${subjects.join(', ')}`];
  return [
    ...named('may not publish', without(needed.publish, given.publish)),
    ...named('may not subscribe', without(needed.subscribe, given.subscribe)),
    ...named('may also publish', without(given.publish, needed.publish)),
    ...named('may also subscribe', without(given.subscribe, needed.subscribe)),
    ...(needed.answers && !given.answers ? ['may not answer requests'] : []),
    ...(given.answers && !needed.answers ? ['may answer requests'] : []),
  ];
}

function payloadFinding({ info }: NatsConnection): Finding {
  const megabytes = (info?.max_payload ?? 0) / 1024 ** 2;
  const ok = megabytes * 1024 ** 2 >= payloadBytes;
  return finding('max_payload', ok, ok ? `${megabytes} MB` : `${megabytes} MB: include infra/nats/server.conf.`);
}

async function checkStream(nats: NatsConnection): Promise<Finding> {
  const what = `stream ${eventStream.name}`;
  try {
    const manager = await nats.jetstreamManager();
    const found = await unlessMissing(manager.streams.info(eventStream.name), streamNotFound);
    if (!found)
      return finding(
        what,
        true,
        `is created by the first service that starts, and reserves ${eventStream.maxBytes / 1024 ** 3} GiB of disk`,
      );
    const { subjects, num_replicas } = found.config;
    const missing = eventStream.subjects.filter((subject) => !subjects.includes(subject));
    if (missing.length === 0) return finding(what, true, `${num_replicas} replicas, ${found.state.messages} events`);
    return finding(what, false, `lacks ${missing.join(', ')}: restart crm, which adds them.`);
  } catch (error) {
    const { message } = error as Error;
    return finding(what, false, `JetStream does not answer: enable it with infra/nats/server.conf (${message}).`);
  }
}
