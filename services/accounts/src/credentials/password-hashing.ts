import { randomBytes, timingSafeEqual } from 'node:crypto';
import { AppError } from '@mostrador/kit/rpc/errors';
import { createRequestQueue, runIn } from '@mostrador/kit/rpc/request-queue';
import { Piscina } from 'piscina';
import type { DeriveOptions } from './derive-tag.ts';

/**
 * Hashes and checks passwords, a few at once, on threads of low priority. All methods throw `service_unavailable` at
 * once when too many passwords wait, and `hash` and `matches` when one has waited too long.
 */
export type PasswordHashing = {
  /** Call it before anything is done for a request that needs one of the others. */
  assertRoom(account?: string): void;
  /** The hash in the PHC format, with a new salt. */
  hash(password: string): Promise<string>;
  /**
   * Whether the password has this hash. Null: there is none. The answer takes as long, and is false. Accounts take turns:
   * attempts with one of them delay only each other.
   */
  matches(password: string, hash: string | null, account?: string): Promise<boolean>;
};

/** OWASP's first choice for argon2id: memory in KiB, passes, lanes. */
const parameters = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const tagLength = 32;
const saltLength = 16;
/** Each hash takes 19 MiB and some 20 ms. */
const hashesAtOnce = 2;
const mostWaiting = 32;
/** A machine that is too slow for its sign-ins refuses those that waited longer than this, so that the others get through. */
const longestWaitMs = 5_000;

/** A busy processor gives such a thread about a tenth of its time, so a flood of sign-ins delays sign-ins only. */
const niceness = 10;
/** A thread takes 18 MB, and 0.2 s of a processor to start. */
const idleThreadMs = 60_000;
const format = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

export function createPasswordHashing({
  now = () => performance.now(),
}: {
  readonly now?: () => number;
} = {}): PasswordHashing {
  const queue = createRequestQueue({ concurrency: hashesAtOnce, queue: mostWaiting });
  const threads = new Piscina<DeriveOptions, Uint8Array>({
    filename: new URL('./derive-tag.ts', import.meta.url).href,
    ...{ minThreads: 0, maxThreads: hashesAtOnce, idleTimeout: idleThreadMs, niceIncrement: niceness },
  });
  const tagOf = async (password: string, options: Omit<DeriveOptions, 'message'>): Promise<Buffer> =>
    Buffer.from(await threads.run({ ...options, message: oneForm(password) }));
  const inTurn = <T>(account: string, work: () => Promise<T>): Promise<T> => {
    const offeredAtMs = now();
    return runIn(queue, account, async () => {
      if (now() - offeredAtMs > longestWaitMs) throw tooMany();
      return await work();
    });
  };
  const placeholder = toPhc(randomBytes(saltLength), randomBytes(tagLength));
  return {
    assertRoom(account = '') {
      if (!queue.hasRoom(account)) throw tooMany();
    },
    hash: (password) =>
      inTurn('', async () => {
        const nonce = randomBytes(saltLength);
        return toPhc(nonce, await tagOf(password, { ...parameters, nonce, tagLength }));
      }),
    matches: (password, hash, account = '') =>
      inTurn(account, async () => {
        const [, memory, passes, parallelism, salt = '', tag = ''] = format.exec(hash ?? placeholder) ?? [];
        const expected = Buffer.from(tag, 'base64');
        const found = await tagOf(password, {
          ...{ memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
          ...{ nonce: Buffer.from(salt, 'base64'), tagLength: expected.length },
        });
        return timingSafeEqual(found, expected) && hash !== null;
      }),
  };
}

const tooMany = (): AppError => new AppError('service_unavailable', { retryAfterSeconds: 1 });

/** The same characters can be written in several forms; one form is hashed (NIST SP 800-63B, 3.1.1.2). */
const oneForm = (password: string): string => password.normalize('NFKC');

function toPhc(salt: Buffer, tag: Buffer): string {
  const { memory, passes, parallelism } = parameters;
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(salt)}$${text(tag)}`;
}
