import type { Log } from '@mostrador/kit/process/log';
import { type Logger, type LogLevel, type LogMetadata, Runtime } from '@temporalio/worker';

/** Sends the log of the SDK through our log. Keeps the SDK from handling the signals of the process. */
export function installRuntime(log: Log): Logger {
  const logger = sdkLogger(log.child({ module: 'temporal' }));
  Runtime.install({
    logger,
    shutdownSignals: [],
    telemetryOptions: { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } },
  });
  return logger;
}

/** The logger of the SDK, which writes to our log. */
export function sdkLogger(log: Log): Logger {
  const at =
    (level: 'trace' | 'debug' | 'warn' | 'error') =>
    (message: string, { error, ...meta }: LogMetadata = {}) =>
      log[level](error === undefined ? meta : { ...meta, err: error }, message);
  const logger = {
    trace: at('trace'),
    debug: at('debug'),
    // The SDK logs at `info` what only its developers need, such as every state change of a worker.
    info: at('debug'),
    warn: at('warn'),
    error: at('error'),
  };
  return {
    ...logger,
    log: (level: LogLevel, message, meta) => logger[level.toLowerCase() as keyof typeof logger](message, meta),
  };
}
