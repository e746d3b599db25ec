import {
  connectChannel,
  connectModel,
  createApiKey,
  createStore,
  type ModelProvider,
  updateAssistantSettings,
} from '@mostrador/contracts';
import { dateAfter, localTimeOf, startOfDay } from '@mostrador/hours/clock';
import type { InsideCall } from '@mostrador/testing/platform/inside-client';
import { type Api, createApi } from './api.ts';
import type { LocalMoment, StoreSetup } from './conversation.ts';

/** The model that answers, and what its agent has in place of the agent of the store. */
export type Answering = {
  readonly provider: ModelProvider;
  readonly url?: string;
  readonly model?: string;
  readonly apiKey?: string;
  readonly agent?: Readonly<Record<string, unknown>>;
};

export type Platform = { readonly baseUrl: string; readonly call: InsideCall };

export type EvalStore = Awaited<ReturnType<typeof openStore>>;

/** Each conversation has a store of its own, so that nothing else can be the cause of what it ends with. */
export async function openStore(
  { baseUrl, call }: Platform,
  setup: StoreSetup,
  { provider, url, model, apiKey, agent }: Answering,
  { books = true }: { readonly books?: boolean } = {},
) {
  const { name, timezone, locale, documents } = setup;
  const { id } = await call(createStore, { body: { name, tier: 'enterprise', timezone, locale } });
  const connection = {
    ...{ provider, ...(url && { url }), ...(model && { model }), ...(apiKey && { secrets: { api_key: apiKey } }) },
  };
  const [{ api_key }, { sandbox_url }] = await Promise.all([
    call(createApiKey, { body: { store_id: id, name: 'evals' } }),
    call(connectChannel, { body: { provider: 'sandbox' } }, id),
    call(connectModel, { body: connection }, id),
    call(updateAssistantSettings, { body: { ai: true, ai_quiet_seconds: 0 } }, id),
  ]);
  const api = createApi(baseUrl, api_key);
  const hours = [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, from: '09:00', to: '18:00' }));
  await Promise.all([
    api('POST', '/agents', { priority: 1, is_default: true, ...setup.agent, ...agent }),
    ...documents.map((document) => api('POST', '/knowledge/documents', document)),
    ...(books ? [api('PUT', '/booking/rules', { overlap: 'reject', capacity: 1, slot_step_minutes: 60, hours })] : []),
  ]);
  const today = localTimeOf(new Date(), timezone).date;
  const dayOf = (day: number) => dateAfter(today, day) as string;
  return {
    ...{ id, api, timezone, locale },
    telephone: sandbox_url as string,
    dayOf,
    instantOf({ day, time }: LocalMoment): string {
      const midnight = startOfDay(dayOf(day), timezone) as Date;
      const [hours, minutes] = time.split(':').map(Number) as [number, number];
      return new Date(midnight.getTime() + (hours * 60 + minutes) * 60_000).toISOString();
    },
    /** How the store's clock shows a moment, with the day counted from today. */
    localOf(instant: string): LocalMoment {
      const { date, time } = localTimeOf(new Date(instant), timezone);
      return { day: Math.round((Date.parse(date) - Date.parse(today)) / 86_400_000), time };
    },
  };
}

export type EvalLead = { readonly id: string; readonly name: string; readonly phone: string };

let leads = 0;

/** A new customer. */
export async function addLead(api: Api, name: string): Promise<EvalLead> {
  leads += 1;
  const phone = `55119${String(60_000_000 + leads)}`;
  const { id } = await api('POST', '/leads', { name, customer_phone: phone });
  return { id, name, phone };
}

/** Gives a customer an appointment. */
export const addAppointment = (store: EvalStore, lead: EvalLead, moment: LocalMoment, title = 'Corte') =>
  store.api('POST', '/appointments', { lead_id: lead.id, title, scheduled_at: store.instantOf(moment) });
