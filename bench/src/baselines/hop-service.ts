import { connect } from 'nats';
import { servePeer } from '../peer.ts';
import { openTable } from './database.ts';

// Baseline (b'), second half: answers over NATS what it reads, and what it inserts.
const table = openTable(process.env.DATABASE_URL ?? '');
const nats = await connect({ servers: process.env.NATS_URL ?? '', noAsyncTraces: true });
nats.subscribe('bench.appointments.get', {
  queue: 'bench',
  callback: async (_error, message) => {
    const row = await table.find(message.string());
    message.respond(row ? JSON.stringify(row) : undefined);
  },
});

nats.subscribe('bench.appointments.create', {
  queue: 'bench',
  callback: async (_error, message) => void message.respond(JSON.stringify(await table.insert(message.json()))),
});

servePeer({});
