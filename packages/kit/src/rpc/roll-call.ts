import { hostname } from 'node:os';
import { type KeyMark, type ProcessDescription, rollCallSubject } from '@mostrador/contracts/core';
import { build } from '../process/build.ts';
import type { Health } from '../process/health.ts';
import type { Log } from '../process/log.ts';
import type { NatsConnection } from './nats.ts';
import { toTimestamp } from './validate.ts';

type Described = {
  /** One of `processNames`, or a service of this deployment alone. */
  readonly process: string;
  readonly health: Pick<Health, 'ready' | 'downSince'>;
  /** What is wrong although it is ready. */
  readonly warnings?: () => readonly string[];
  /** Its encryption keys, the one that seals first. */
  readonly keys?: readonly KeyMark[];
};

/**
 * Answers each roll call with what this process is and how it is. Every process answers, also one that is not ready, so
 * there is no queue group. Ends with the connection.
 */
export function answerRollCall(nats: NatsConnection, log: Log, described: Described): void {
  const startedAt = new Date(Date.now() - performance.now());
  const describe = async (): Promise<ProcessDescription> => {
    const { ready, dependencies } = await described.health.ready();
    return {
      process: described.process,
      instance: `${hostname()}:${process.pid}`,
      version: build().version,
      started_at: toTimestamp(startedAt),
      now: toTimestamp(new Date()),
      ready,
      checks: Object.entries(dependencies).map(([name, { state, detail = '' }]) => {
        const since = state === 'down' ? described.health.downSince(name) : undefined;
        return { name, state, detail, since: since ? toTimestamp(since) : null };
      }),
      ...(described.warnings && { warnings: [...described.warnings()] }),
      keys: [...(described.keys ?? [])],
    };
  };
  nats.subscribe(rollCallSubject, {
    callback: (error, message) => {
      // NATS servers get their users before the processes that need them, so that this is a fault of the deployment.
      if (error) return log.warn({ err: error }, `NATS does not let this process subscribe to ${rollCallSubject}`);
      describe().then(
        (description) => message.respond(JSON.stringify(description)),
        (failure) => log.warn({ err: failure }, 'a roll call was not answered'),
      );
    },
  });
}
