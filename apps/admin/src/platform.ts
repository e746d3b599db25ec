import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import type { Operation, ReplyOf, RequestOf } from '@mostrador/contracts';
import type { TemporalAddress } from '@mostrador/kit/clients/temporal-address';
import { createLog } from '@mostrador/kit/process/log';
import { systemActor } from '@mostrador/kit/rpc/actor';
import { createRpcClient } from '@mostrador/kit/rpc/client';
import { connectNats, type NatsConnection } from '@mostrador/kit/rpc/nats';
import type { AdminConfig } from './config.ts';
import { NotRunning } from './exit.ts';

/** A refused connection fails at once. A host that is only busy takes seconds. */
const connectLimitMs = 8_000;
/** `calendar connect` calls the calendar's provider, which may take 10 s. */
const answerLimitMs = 20_000;

/** The running platform, reached over NATS. Connects at the first call. */
export type Platform = {
  /** Throws AppError when the platform rejects the call or answers too late, NotRunning when it cannot connect. */
  call<O extends Operation>(
    operation: O,
    request: RequestOf<O>,
    storeId?: string,
    limitMs?: number,
  ): Promise<ReplyOf<O>>;
  /** The connection itself. Throws as `call` does. */
  nats(): Promise<NatsConnection>;
  /** Where the servers are. Undefined: that address is not known. Throws NotRunning for a wrong one. */
  addresses(): Promise<Addresses>;
  close(): Promise<void>;
};

export type Addresses = {
  readonly natsUrl: string | undefined;
  readonly databaseUrl: string | undefined;
  readonly publicUrl?: string | undefined;
  readonly temporal: TemporalAddress | undefined;
  readonly temporalNamespace: string;
};

export function createPlatform(config: AdminConfig): Platform {
  let opened: ReturnType<typeof open> | undefined;
  return {
    call: async (operation, request, storeId, limitMs = answerLimitMs) => {
      opened ??= open(config);
      const { client } = await opened;
      return client.call(operation, request, {
        requestId: randomUUID(),
        deadline: Date.now() + limitMs,
        storeId,
        actor: systemActor,
      });
    },
    nats: async () => {
      opened ??= open(config);
      return (await opened).nats;
    },
    addresses: () => addressesOf(config),
    close: async () => {
      const connection = await opened?.catch(() => undefined);
      await connection?.nats.close();
    },
  };
}

async function open(config: AdminConfig) {
  const { natsUrl: url } = await addressesOf(config);
  if (url === undefined) throw new NotRunning(`NATS_URL is not set, and ${config.addressFile} does not exist`);
  // The kit's client waits for a server, as a service must. A person needs the error at once.
  await probe(url);
  const log = createLog({ service: 'admin', level: 'silent', format: 'json' });
  const nats = await connectNats({ url, tls: config.natsTls, name: 'admin', log, firstMustWork: true }).catch(
    (error) => {
      throw new NotRunning(`NATS rejects the connection: ${(error as Error).message}`);
    },
  );
  return { nats, client: createRpcClient({ nats, log }) };
}

/** What the environment says, and without `NATS_URL` the file of the platform that runs from this clone. */
async function addressesOf(config: AdminConfig): Promise<Addresses> {
  if (config.fault !== undefined) throw new NotRunning(config.fault);
  const { natsUrl, databaseUrl, publicUrl, temporal, temporalNamespace, addressFile } = config;
  const local = natsUrl === undefined ? await readAddressFile(addressFile) : undefined;
  return {
    natsUrl: natsUrl ?? local?.nats_url,
    databaseUrl: databaseUrl ?? local?.database_url,
    publicUrl,
    temporal: temporal ?? (local && { address: local.temporal_address }),
    temporalNamespace,
  };
}

async function readAddressFile(
  file: string,
): Promise<{ nats_url: string; database_url: string; temporal_address: string } | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Resolves once one of the servers of the address answers. Throws NotRunning when none does. */
async function probe(url: string): Promise<void> {
  const servers = url
    .split(',')
    .map((server) => URL.parse(server.includes('://') ? server.trim() : `nats://${server.trim()}`));
  const probes = servers.map((server) => {
    if (!server?.hostname) throw new NotRunning('the address of NATS is not a URL');
    return probeOne(server.hostname, Number(server.port || 4222));
  });
  await Promise.any(probes).catch(({ errors }: AggregateError) => {
    throw new NotRunning(errors.map(({ message }: Error) => message).join(', '));
  });
}

function probeOne(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: host.replace(/^\[|\]$/g, ''), port, timeout: connectLimitMs });
    const fail = (limit = '') => {
      socket.destroy();
      reject(new Error(`nothing answers at ${host}:${port}${limit}`));
    };
    socket.once('error', () => fail()).once('timeout', () => fail(` within ${connectLimitMs / 1000} s`));
    socket.once('connect', () => {
      socket.end();
      resolve();
    });
  });
}
