import { servePeer } from '@mostrador/local-platform/peer';
import { openLeads } from './lead-table.ts';
import { openNats } from './nats.ts';

// The hop, second half: reads rows for requests over NATS.
const { DATABASE_URL = '', STORE_ID = '', NATS_SERVICE_URL = '' } = process.env;
const leads = openLeads(DATABASE_URL, STORE_ID);
const nats = await openNats(NATS_SERVICE_URL);
nats.subscribe('crm.api.bench-leads.get', {
  queue: 'crm',
  callback: async (_error, message) => {
    const row = await leads.find(message.string());
    message.respond(row ? JSON.stringify(row) : undefined);
  },
});

nats.subscribe('crm.api.bench-leads.list', {
  queue: 'crm',
  callback: async (_error, message) => {
    const [createdAt = '', id = ''] = message.string().split(' ');
    message.respond(JSON.stringify({ data: await leads.listAfter(createdAt, id) }));
  },
});

servePeer({});
