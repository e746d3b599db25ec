import { servePeer } from '@mostrador/local-platform/peer';
import { openTable } from './database.ts';
import { openNats } from './nats.ts';

// Baseline (b'), second half: reads and inserts rows for requests over NATS.
const table = openTable(process.env.DATABASE_URL ?? '');
const nats = await openNats(process.env.NATS_SERVICE_URL ?? '');
nats.subscribe('crm.api.bench-appointments.get', {
  queue: 'crm',
  callback: async (_error, message) => {
    const row = await table.find(message.string());
    message.respond(row ? JSON.stringify(row) : undefined);
  },
});

for (const [subject, insert] of [
  ['crm.api.bench-appointments.create', table.insert],
  ['crm.api.bench-appointments.create-in-transaction', table.insertInTransaction],
] as const) {
  nats.subscribe(subject, {
    queue: 'crm',
    callback: async (_error, message) => void message.respond(JSON.stringify(await insert(message.json()))),
  });
}

servePeer({});
