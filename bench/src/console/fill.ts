import { randomUUID } from 'node:crypto';
import { receiveSandboxMessage } from '@mostrador/contracts';
import { eachOf } from '@mostrador/kit/process/each-of';
import { createLog } from '@mostrador/kit/process/log';
import { createRpcClient } from '@mostrador/kit/rpc/client';
import { connectNats } from '@mostrador/kit/rpc/nats';
import type { Platform, Store } from '../shared/platform.ts';

const atOnce = 16;
const answerWithinMs = 30_000;

/** Customers who write to a store on its sandbox. */
export type Customers = {
  /** The customer with this number writes one message. */
  write(customer: number, text: string): Promise<void>;
  /** Many messages, some at once. `customerOf` says who writes each. */
  writeMany(count: number, customerOf: (index: number) => number): Promise<void>;
  /** The id of the customer's lead. */
  leadOf(customer: number): Promise<string>;
  close(): Promise<void>;
};

export async function openCustomers(platform: Platform, { id, key }: Store): Promise<Customers> {
  const { sandbox_url } = await platform.admin<{ sandbox_url: string }>(`channel show --store ${id}`);
  const token = new URL(sandbox_url).pathname.split('/').at(-1) ?? '';
  const log = createLog({ service: 'bench', level: 'silent', format: 'json' });
  const nats = await connectNats({ url: platform.natsUrl('gateway'), name: 'bench', log });
  const rpc = createRpcClient({ nats, log });
  const write = async (customer: number, text: string) => {
    const body = { token, customer_phone: phoneOf(customer), name: `Customer ${customer}`, text };
    const context = { requestId: randomUUID(), deadline: Date.now() + answerWithinMs };
    await rpc.call(receiveSandboxMessage, { body }, context);
  };
  return {
    write,
    writeMany: (count, customerOf) =>
      eachOf(Array(count).keys(), atOnce, (index) => write(customerOf(index), textOf(index))),
    leadOf: async (customer) => {
      const url = `${platform.origin}/integrations/v1/leads?customer_phone=${phoneOf(customer)}`;
      const answer = await fetch(url, { headers: { 'x-api-key': key } });
      const { data } = (await answer.json()) as { data: { id: string }[] };
      const [lead] = data;
      if (!lead) throw new Error(`customer ${customer} is not a lead yet`);
      return lead.id;
    },
    close: () => nats.close(),
  };
}

const phoneOf = (customer: number): string => `55119${String(10_000_000 + customer)}`;

const words = ['Oi', 'tudo bem?', 'Quero marcar um corte', 'para sábado', 'de manhã', 'Obrigada!', 'Quanto custa?'];
/** Texts of one to four lines, as people write them. */
const textOf = (index: number): string =>
  Array.from({ length: 1 + (index % 4) }, (_, line) => words[(index + line * 3) % words.length]).join('\n');
