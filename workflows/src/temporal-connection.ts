import { setTimeout as delay } from 'node:timers/promises';
import type { TemporalAddress } from '@mostrador/kit/clients/temporal-address';
import { type TemporalChecks, temporalChecks } from '@mostrador/kit/clients/temporal-namespace';
import type { Log } from '@mostrador/kit/process/log';
import { NativeConnection } from '@temporalio/worker';

const longestPauseMs = 5_000;
/** Requests have ids and little else, and each gzip stream takes 256 KB: half of what an idle worker did. */
const grpcCompression = { codec: 'none' } as const;

/** Why the SDK's first call was refused, by gRPC status. The SDK has only a text, which is that of its gRPC library. */
const refusals: Readonly<Record<number, string>> = {
  7: 'The caller does not have permission',
  16: 'does not have valid authentication credentials',
};

export type WorkerConnection = TemporalChecks & {
  /** Resolves when the server has accepted a connection, and rejects when the signal is aborted. Later the SDK reconnects. */
  readonly opened: Promise<NativeConnection>;
};

/** Connects, retries until it succeeds, and checks what the worker needs of Temporal. */
export function connectWhenThere(options: {
  address: TemporalAddress;
  namespace: string;
  log: Log;
  signal: AbortSignal;
}): WorkerConnection {
  const { address, namespace, log, signal } = options;
  let connection: NativeConnection | undefined;
  let failure: unknown = new Error('not connected yet');

  const open = async (): Promise<NativeConnection> => {
    for (let pauseMs = 250; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        connection = await NativeConnection.connect({ ...address, grpcCompression });
        return connection;
      } catch (error) {
        signal.throwIfAborted();
        failure = withStatus(error);
        log.warn({ address: address.address, reason: (error as Error).message }, 'Temporal cannot be reached yet');
        await delay(pauseMs, undefined, { signal });
      }
    }
  };
  return {
    opened: open(),
    ...temporalChecks({
      ...{ address, namespace },
      current: () => {
        if (!connection) throw failure;
        return connection;
      },
      // Temporal refuses it for want of a task queue.
      attempt: ({ workflowService }) => workflowService.pollWorkflowTaskQueue({ namespace }),
    }),
  };
}

function withStatus(error: unknown): unknown {
  const [code] = Object.entries(refusals).find(([, text]) => (error as Error).message.includes(text)) ?? [];
  return code === undefined
    ? error
    : Object.assign(new Error((error as Error).message, { cause: error }), { code: Number(code) });
}
