import { createRequire } from 'node:module';
import { errorCatalogue } from '@mostrador/contracts/core';
import pino from 'pino';

/** A structured log: one JSON line per event. */
export type Log = pino.Logger;

/** Log levels, most verbose first. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export type LogOptions = {
  readonly service: string;
  readonly level: string;
  /** `undefined`: pretty when standard output is a terminal, otherwise JSON. */
  readonly format: 'json' | 'pretty' | undefined;
  /** Members of each line. */
  readonly mixin?: (() => object) | undefined;
  /** Takes the lines. Default: standard output. */
  readonly to?: pino.DestinationStream;
};

/** Field names that may hold a secret. A safety net: the rule is that no secret is passed to the log. */
const secretNames = [
  'password',
  'secret',
  'secrets',
  'token',
  'api_key',
  'apiKey',
  'credentials',
  'authorization',
  'access_token',
  'refresh_token',
  'client_secret',
];
const redactedPaths = [
  ...secretNames.flatMap((name) => [name, `*.${name}`]),
  'headers["x-api-key"]',
  '*.headers["x-api-key"]',
  '*.headers.authorization',
];

/** The log of a process, on standard output. Secret-looking fields are cut; errors show only safe members. */
export function createLog(options: LogOptions): Log {
  const pretty = options.format === 'pretty' || (options.format === undefined && process.stdout.isTTY === true);
  return pino(
    {
      level: options.level,
      base: { service: options.service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: redactedPaths, censor: '[cut]' },
      serializers: { err: serializeError, error: serializeError },
      ...(options.mixin && { mixin: options.mixin }),
    },
    options.to ?? (pretty ? prettyStream() : pino.destination({ fd: 1, sync: true })),
  );
}

/** Loaded on demand: pino-pretty takes longer to load than everything else here. */
function prettyStream(): pino.DestinationStream {
  const require = createRequire(import.meta.url);
  const pretty = require('pino-pretty') as (options: object) => pino.DestinationStream;
  return pretty({
    colorize: process.stdout.isTTY === true,
    sync: true,
    ignore: 'pid,hostname,service',
    translateTime: 'SYS:HH:MM:ss.l',
    messageFormat: '{msg}',
  });
}

/**
 * What the log shows of an error: its type, message, code, constraint and stack, and the same of its causes. It omits
 * other members: a database error has the values of the row there, an HTTP error the headers. An outage brings thousands
 * of errors that are foreseen: of such a one and its causes only the last has a stack, and only when no code explains it.
 */
export function serializeError(error: unknown): unknown {
  return describeError(error, 0, false);
}

function describeError(error: unknown, depth: number, foreseenAbove: boolean): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : `a thrown ${typeof error}`;
  const { cause, code, constraint_name: constraint } = error as Error & { code?: unknown; constraint_name?: unknown };
  const foreseen = foreseenAbove || isForeseen(code);
  const explained = foreseen && (code !== undefined || cause !== undefined);
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(typeof constraint === 'string' ? { constraint } : {}),
    ...(explained ? {} : { stack: error.stack }),
    ...(cause === undefined || depth === 4 ? {} : { cause: describeError(cause, depth + 1, foreseen) }),
  };
}

/** Whether it is a code of the catalogue. */
const isForeseen = (code: unknown): boolean =>
  typeof code === 'string' && Object.hasOwn(errorCatalogue, code) && code !== 'internal_error';
