import { randomUUID } from 'node:crypto';
import {
  accountsOperations,
  assistantOperations,
  crmOperations,
  errorCatalogue,
  messagingOperations,
  type Operation,
  schedulingOperations,
} from '@mostrador/contracts';
import type { Random } from '@mostrador/testing/random';
import { headers, type Msg, type MsgHdrs, NatsError } from 'nats';
import { roles } from '../../infra/nats/users.ts';
import { type NatsUser, natsUsers } from '../../packages/platform/src/servers.ts';
import { anyValue, disturbed, randomBytes } from './bytes.ts';
import type { Part } from './part.ts';
import { plausible } from './plausible.ts';

const operations: Operation[] = [
  accountsOperations,
  crmOperations,
  schedulingOperations,
  messagingOperations,
  assistantOperations,
].flatMap((each) => Object.values(each) as Operation[]);
const atOnce = 6;
const answerMs = 8_000;

/** Sends random bytes and slightly wrong requests on every NATS subject, as a user with permission to send there. */
export const subjects: Part = {
  name: 'subjects',
  async run({ platform, random, until, finding }) {
    const users = await Promise.all(natsUsers.map(async (user) => [user, await platform.connectAs(user)] as const));
    const connections = new Map(users);
    let tries = 0;
    const client = async () => {
      while (Date.now() < until) {
        const operation = random.pick(operations);
        tries += 1;
        try {
          const options = { timeout: answerMs, headers: headersOf(random, platform.store.id, operation) };
          const nats = connections.get(userOf(operation));
          const answer = await nats?.request(operation.subject, payloadOf(random, operation), options);
          const fault = answer && faultOf(answer);
          if (fault) finding(`${operation.subject}: ${fault}`);
        } catch (error) {
          const code = error instanceof NatsError ? error.code : (error as Error).message;
          // A timeout is right: a service drops requests whose deadline has passed.
          if (code !== 'TIMEOUT') finding(`${operation.subject}: ${code}`);
        }
      }
    };
    await Promise.all(Array.from({ length: atOnce }, client));
    await Promise.all([...connections.values()].map((nats) => nats.close()));
    return tries;
  },
};

/** A NATS user with permission to send the operation. */
function userOf({ subject }: Operation): NatsUser {
  const user = natsUsers.find((name) => {
    const { audiences = [], asks = [] } = roles[name];
    return (
      audiences.some((audience) => subject.split('.')[1] === audience) ||
      asks.some((asked) => asked.subject === subject)
    );
  });
  if (user === undefined) throw new Error(`no NATS user may send ${subject}`);
  return user;
}

function headersOf(random: Random, storeId: string, { tenancy }: Operation): MsgHdrs {
  const written = headers();
  const set = (name: string, right: string, chance = 0.06) => {
    if (random.next() < chance) return;
    // The NATS client rejects line breaks in header values.
    const odd = randomBytes(random, 20)
      .toString('latin1')
      .replace(/[\r\n]/g, ' ');
    written.set(name, random.next() < chance ? odd : right);
  };
  set('X-Request-Id', 'fuzz');
  // Usually a valid deadline: a service rejects a request without one and drops a late one.
  set('Mostrador-Deadline', String(Date.now() + answerMs), 0.03);
  if (tenancy === 'store') set('Mostrador-Store', random.next() < 0.9 ? storeId : randomUUID());
  if (random.next() < 0.3) {
    set('Mostrador-Idempotency', JSON.stringify({ scope: 'POST /x', key: randomUUID(), fingerprint: 'f' }), 0.3);
  }
  if (random.next() < 0.1) set('If-Match', '"1"', 0.5);
  if (random.next() < 0.1) set('If-None-Match', '*', 0.5);
  return written;
}

function payloadOf(random: Random, operation: Operation): Uint8Array {
  const roll = random.next();
  if (roll < 0.2) return randomBytes(random, 400);
  if (roll < 0.35) return Buffer.from(JSON.stringify(anyValue(random)));
  const request = Object.fromEntries(
    Object.entries(operation.request).map(([name, schema]) => [name, plausible(random, schema)]),
  );
  return Buffer.from(JSON.stringify(roll < 0.75 ? disturbed(random, request) : request));
}

function faultOf({ headers: answered, data }: Msg): string | undefined {
  const code = answered?.get('Mostrador-Error');
  if (!code) return undefined;
  if (!(code in errorCatalogue)) return `answered the code ${code}, which is not in the catalogue`;
  return code === 'internal_error'
    ? `answered internal_error: ${Buffer.from(data).toString('utf8').slice(0, 200)}`
    : undefined;
}
