import { setTimeout as delay } from 'node:timers/promises';
import type { TemporalAddress } from '@mostrador/kit/clients/temporal-address';
import { checkNamespace } from '@mostrador/kit/clients/temporal-namespace';
import type { Log } from '@mostrador/kit/process/log';
import { NativeConnection } from '@temporalio/worker';

const longestPauseMs = 5_000;

/** Retries until the server accepts a connection, or throws when the signal is aborted. Later the SDK reconnects. */
export async function connectWhenThere(options: {
  address: TemporalAddress;
  log: Log;
  signal: AbortSignal;
}): Promise<NativeConnection> {
  const { address, log, signal } = options;
  for (let pauseMs = 250; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await NativeConnection.connect(address);
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ address: address.address, reason: (error as Error).message }, 'Temporal cannot be reached yet');
      await delay(pauseMs, undefined, { signal });
    }
  }
}

/** Throws as the function `checkNamespace` of the kit does. */
export async function checkTemporalNamespace(connection: NativeConnection, namespace: string): Promise<void> {
  await connection.withDeadline(Date.now() + 5_000, () => checkNamespace(connection, namespace));
}

/** Throws unless Temporal responds within 1 s. */
export async function pingTemporal(connection: NativeConnection): Promise<void> {
  await connection.withDeadline(Date.now() + 1_000, () => connection.workflowService.getSystemInfo({}));
}
