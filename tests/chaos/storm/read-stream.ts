import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DomainEvent, eventStream } from '@mostrador/contracts';
import { createLog } from '@mostrador/kit/process/log';
import { connectNats } from '@mostrador/kit/rpc/nats';
import { createChildren, untilReady } from '@mostrador/local-platform/children';
import { freePort } from '@mostrador/local-platform/ports';
import { findNats, natsSpec } from '@mostrador/local-platform/servers/nats';
import type { Platform } from './platform.ts';
import type { Seen } from './seen.ts';

const idNames = ['appointment_id', 'followup_id', 'message_id', 'lead_id'] as const;
const readyWithinMs = 90_000;
const stoppedWithinMs = 5_000;

/**
 * Reads every published event. No NATS user of the platform may read the whole stream. So this stops all processes and
 * the NATS server, and opens the same files with another server that has its own user.
 */
export async function readStream(platform: Platform): Promise<Seen['published']> {
  await platform.processes.stopAll();
  await platform.servers.nats.stop();
  const [port, monitorPort] = await Promise.all([freePort(), freePort()]);
  const config = join(platform.folder, 'reader.conf');
  writeFileSync(
    config,
    'jetstream: enabled\naccounts { EVENTS { jetstream: enabled, users: [{ user: reader, password: reader }] } }\n',
  );
  const spec = natsSpec({
    binary: await findNats(process.env, () => {}),
    passwords: {},
    storeDirectory: join(platform.folder, 'nats'),
    port,
    monitorPort,
  });
  const [, , ...args] = spec.args;
  const child = createChildren(join(platform.folder, 'reader.json')).start({ ...spec, args: ['-c', config, ...args] });
  try {
    await untilReady(spec, child, readyWithinMs);
    return await readAll(`nats://reader:reader@127.0.0.1:${port}`);
  } finally {
    await child.stop(stoppedWithinMs);
  }
}

async function readAll(url: string): Promise<Seen['published']> {
  const log = createLog({ service: 'chaos', level: 'silent', format: 'json' });
  const nats = await connectNats({ url, name: 'chaos', log });
  try {
    const { streams } = await nats.jetstreamManager();
    const { state } = await streams.info(eventStream.name);
    const published: Seen['published'] = [];
    if (state.messages === 0) return published;
    const consumer = await nats.jetstream().consumers.get(eventStream.name);
    for await (const message of await consumer.consume()) {
      const { type, store_id: storeId, data } = message.json<DomainEvent>();
      const name = idNames.find((candidate) => candidate in data);
      if (name) published.push({ type, storeId, entityId: (data as Record<string, string>)[name] as string });
      if (message.seq >= state.last_seq) break;
    }
    return published;
  } finally {
    await nats.close();
  }
}
