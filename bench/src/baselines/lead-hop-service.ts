import { connect } from 'nats';
import { servePeer } from '../peer.ts';
import { openLeads } from './lead-table.ts';

// The hop, second half: answers over NATS what it reads.
const { DATABASE_URL = '', STORE_ID = '', NATS_URL = '' } = process.env;
const leads = openLeads(DATABASE_URL, STORE_ID);
const nats = await connect({ servers: NATS_URL, noAsyncTraces: true });
nats.subscribe('bench.leads.get', {
  queue: 'bench',
  callback: async (_error, message) => {
    const row = await leads.find(message.string());
    message.respond(row ? JSON.stringify(row) : undefined);
  },
});

servePeer({});
