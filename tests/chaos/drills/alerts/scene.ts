import { setTimeout as pause } from 'node:timers/promises';
import { connectModel, createAgent, updateAssistantSettings } from '@mostrador/contracts';
import type { InsideCall } from '@mostrador/testing/platform/inside-client';
import { startWebhookReceiver, type WebhookAnswer } from '@mostrador/testing/providers/webhook-receiver/server';
import { inboundPayload, postWebhook } from '@mostrador/testing/providers/whatsapp/webhooks';
import type postgres from 'postgres';
import { startModel } from '../../exact/model.ts';
import type { ChaosLead, ChaosStore } from '../../storm/journal.ts';
import type { Platform } from '../../storm/platform.ts';
import { allProcesses, type ProcessName } from '../../storm/processes.ts';
import { createOne } from '../../storm/stores.ts';
import type { Prometheus } from './prometheus.ts';

/** The platform with three stores, and what causes need. */
export type Scene = Awaited<ReturnType<typeof setScene>>;

/** The link to the model of the third store. */
export const modelWay = 'assistant → model';

/** The address at which Prometheus scrapes a process: the label `instance`. */
export const instanceOf = ({ ports }: Platform, name: ProcessName): string =>
  `127.0.0.1:${name === 'gateway' ? ports.gatewayMetrics : ports[name]}`;

/** The leads of the store with the AI. It gives a lead to people after some failures, so several must write. */
const talkative = 8;

export async function setScene(options: {
  platform: Platform;
  call: InsideCall;
  prometheus: Prometheus;
  /** An administrator. */
  sql: postgres.Sql;
}) {
  const { platform, call, prometheus } = options;
  const model = await startModel(async () => ({ says: 'Yes.' }));
  const ends: (() => Promise<unknown> | unknown)[] = [model.stop];
  const make = async (index: number, calendar: 'caldav' | 'feed', leads: number): Promise<ChaosStore> => {
    const phone = platform.phones[index] as ChaosStore['phone'];
    return await createOne(platform, call, { phone, calendar, leads, waitSeconds: 0, webhooks: false });
  };
  const stores = [await make(0, 'caldav', 2), await make(1, 'feed', 2), await make(2, 'feed', talkative)] as const;
  const through = await platform.ways.open(modelWay, new URL(model.connection.url).host);
  await call(connectModel, { body: { ...model.connection, url: `http://${through}/v1` } }, stores[2].id);
  await call(connectModel, { body: { provider: 'demo' } }, stores[1].id);
  for (const { id } of stores.slice(1)) {
    const agent = { name: 'Bia', priority: 1, is_default: true, language: 'pt-BR', disclosure: false } as const;
    await call(createAgent, { body: agent }, id);
    await call(updateAssistantSettings, { body: { ai: true, ai_quiet_seconds: 0 } }, id);
  }

  // Of a phone that sends no status updates, too.
  const webhookUrls = new Map(stores.map((store) => [store, store.phone.webhookUrl]));

  /** Repeats until the scene or the cause ends. What fails is what the cause is about. */
  const repeat = (everyMs: number, work: () => Promise<unknown>) => {
    let on = true;
    const running = (async () => {
      for (; on; await pause(everyMs)) await work().catch(() => {});
    })();
    const end = async () => {
      on = false;
      await running;
    };
    ends.push(end);
    return end;
  };
  const ask = (store: ChaosStore, method: string, path: string, body?: object): Promise<Response> =>
    fetch(`${platform.baseUrls()[0]}${path}`, {
      method,
      headers: { 'x-api-key': store.key, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  const scene = {
    ...options,
    stores,
    repeat,
    ask,
    /** Asks for something that must succeed. */
    async must<T>(store: ChaosStore, method: string, path: string, body?: object): Promise<T> {
      const answer = await ask(store, method, path, body);
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
      return (await answer.json()) as T;
    },
    /** A customer writes. */
    async writes(store: ChaosStore, customer: Pick<ChaosLead, 'phone'>, text: string): Promise<void> {
      const { number, server } = store.phone;
      const payload = inboundPayload(number, [{ from: customer.phone, text }]);
      const status = await postWebhook(webhookUrls.get(store) as string, server.settings.appSecret, payload, {
        forMs: 0,
      });
      if (status !== 200) throw new Error(`the webhook of a customer is answered with ${status}`);
    },
    /** A webhook endpoint whose receiver answers so, until `answer` says otherwise. */
    async endpoint(store: ChaosStore, first: WebhookAnswer) {
      const receiver = await startWebhookReceiver();
      ends.push(receiver.close);
      receiver.answer(() => first);
      const { secret } = await scene.must<{ secret: string }>(store, 'POST', '/webhooks/endpoints', {
        url: receiver.url,
      });
      receiver.trust(secret);
      return receiver;
    },
    /** Prometheus scrapes all processes, and these, too. */
    watchAnd: (...more: string[]) =>
      prometheus.watch([...allProcesses.map((name) => instanceOf(platform, name)), ...more]),
    async end() {
      for (const end of ends.reverse()) await end();
    },
  };
  scene.watchAnd();
  return scene;
}
