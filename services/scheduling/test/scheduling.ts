import { randomBytes, randomUUID } from 'node:crypto';
import { type Appointment, checkLead, listLeadContacts, schedulingOperations } from '@mostrador/contracts';
import { createVault } from '@mostrador/kit/clients/secrets';
import { createProviderCircuit, type ProviderCircuit } from '@mostrador/kit/resilience/provider-circuit';
import { AppError } from '@mostrador/kit/rpc/errors';
import { createRpcServer } from '@mostrador/kit/rpc/server';
import { localEgress, silentLog, testContext } from '@mostrador/testing/context';
import { startTestService, type TestService } from '@mostrador/testing/service';
import { createListTotals } from '@mostrador/totals';
import { calendarCircuit } from '../src/calendars/calendar-circuit.ts';
import type { OpenProvider } from '../src/calendars/calendar-provider.ts';
import { createProviders } from '../src/calendars/providers.ts';
import type { Dependencies } from '../src/dependencies.ts';
import { schedulingLists } from '../src/dependencies.ts';
import { createHandlers } from '../src/handlers.ts';

export type TestScheduling = TestService & {
  readonly dependencies: Dependencies;
  /** Between two looks at a Google calendar, at least. */
  readonly fairPause: { ms: number };
  /** Adds a lead of the store to the stand-in for crm. */
  addLead(storeId: string, name?: string): string;
  removeLead(leadId: string): void;
  stopCrm(): Promise<void>;
  /** Creates an appointment, for tomorrow unless the body says otherwise. */
  create(storeId: string, body?: Partial<Parameters<typeof bodyOf>[0]>): Promise<Appointment>;
  /** The wake-ups in the outbox, in order, without those of the calendar's watch. */
  wakeUps(storeId: string): Promise<{ entity_id: string; lead_id: string | null; signal: string }[]>;
  /** The events in the outbox, in order. */
  events(storeId: string): Promise<{ topic: string; data: Record<string, unknown> }[]>;
};

export const publicUrl = 'http://127.0.0.1:8080';

/** Starts the service with its real handlers on real servers. A list of leads stands in for crm. */
export async function startScheduling(
  options: { openProvider?: OpenProvider; circuit?: ProviderCircuit } = {},
): Promise<TestScheduling> {
  let dependencies: Dependencies | undefined;
  const fairPause = { ms: 0 };
  const service = await startTestService({
    name: 'scheduling',
    operations: schedulingOperations,
    build: ({ database, systemDatabase, rpc, relay, log }) => {
      dependencies = {
        database,
        systemDatabase,
        rpc,
        relay,
        listTotals: createListTotals({ lists: schedulingLists, database, systemDatabase, log }),
        vault: createVault(`test:${randomBytes(32).toString('base64')}`),
        openProvider: options.openProvider ?? createProviders(localEgress()),
        egress: localEgress(),
        circuit: options.circuit ?? createProviderCircuit(calendarCircuit, { systemDatabase, log }),
        publicUrl,
        fairPauseMs: () => fairPause.ms,
      };
      return { handlers: createHandlers(dependencies) };
    },
  });
  const leads = new Map<string, { storeId: string; name: string }>();
  const crm = createRpcServer({
    nats: service.nats.nats,
    service: 'crm',
    operations: { checkLead, listLeadContacts },
    handlers: {
      checkLead: async (context, { body }) => {
        if (leads.get(body.lead_id)?.storeId !== context.storeId) throw new AppError('lead_not_found');
        return { id: body.lead_id };
      },
      listLeadContacts: async (context, { body }) => ({
        contacts: body.lead_ids.flatMap((id) => {
          const lead = leads.get(id);
          if (lead?.storeId !== context.storeId) return [];
          const rest = {
            version: 1,
            status: 'pending' as const,
            seller_id: null,
            ai_paused_until: null,
            ai_pause_version: 0,
          };
          return [{ id, name: lead.name, customer_phone: '5511961234567', ...rest }];
        }),
      }),
    },
    log: silentLog(),
  });
  return {
    ...service,
    dependencies: dependencies as Dependencies,
    fairPause,
    addLead(storeId, name = 'Maria') {
      const id = randomUUID();
      leads.set(id, { storeId, name });
      return id;
    },
    removeLead: (leadId) => void leads.delete(leadId),
    stopCrm: () => crm.drain(),
    create: (storeId, body) =>
      service.rpc.call(schedulingOperations.createAppointment, { body: bodyOf(body) }, testContext({ storeId })),
    wakeUps: async (storeId) =>
      await service.adminSql`
        select entity_id, lead_id, signal from outbox where store_id = ${storeId} and kind = 'workflow'
          and topic <> 'calendarWatch' order by id`,
    events: async (storeId) =>
      await service.adminSql`
        select topic, data from outbox where store_id = ${storeId} and kind = 'event' order by id`,
  };
}

export const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();

/** A valid request body for an appointment. */
export const bodyOf = (
  body: {
    title?: string;
    scheduled_at?: string;
    duration_minutes?: number;
    notes?: string | null;
    lead_id?: string | null;
    metadata?: Record<string, string | null> | null;
  } = {},
) => ({ title: 'Haircut', scheduled_at: inHours(24), ...body });
