// Calls the API with the client that openapi-generator made for `fetch`.
import assert from 'node:assert/strict';
import {
  Configuration,
  ConflictProblemFromJSON,
  FaultPlace,
  LeadSort,
  LeadStatus,
  LeadsApi,
  MessageSource,
  MessagesApi,
  ResponseError,
  StoreApi,
  StoreTier,
  ValidationProblemFromJSON,
} from 'mostrador-client';

const { SMOKE_KEY: key = '', SMOKE_PHONE: customerPhone = '', SMOKE_LEAD_ID: leadId = '' } = process.env;
const configuration = new Configuration({ apiKey: key });
const leads = new LeadsApi(configuration);
const messages = new MessagesApi(configuration);

/** The body of a refused call. */
const refused = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => assert.fail('the call was not refused'),
    (error: unknown) => {
      assert.ok(error instanceof ResponseError, String(error));
      return error.response.json();
    },
  );

const createLeadRequest = { name: 'Ana Lima', customerPhone };
const lead = await leads.leadsCreate({ createLeadRequest });
assert.equal(lead.status, LeadStatus.LEAD_STATUS_PENDING);
const sellerId: string | null = lead.sellerId;
assert.equal(sellerId, null);

const page = await leads.leadsList({ customerPhone, sort: LeadSort.LEAD_SORT_CREATED_AT_DESC });
assert.deepEqual([page.total, page.data[0]?.id], [1, lead.id]);

const answer = await messages.messagesSend({ leadId, sendMessageRequest: { message: 'Até amanhã! 👋' } });
assert.equal(answer.error, null);
const message = await messages.messagesGet({ leadId, messageId: answer.id });
assert.deepEqual([message.source, message.reason], [MessageSource.MESSAGE_SOURCE_API, null]);

const conflict = ConflictProblemFromJSON(await refused(leads.leadsCreate({ createLeadRequest })));
assert.deepEqual([conflict.code, conflict.id], ['lead_exists', lead.id]);

const invalid = ValidationProblemFromJSON(await refused(leads.leadsList({ page: 2, cursor: 'unknown' })));
assert.equal(invalid.errors?.[0]?._in, FaultPlace.FAULT_PLACE_QUERY);

const store = await new StoreApi(configuration).storesGet();
assert.deepEqual([store.tier, store.calendar.provider], [StoreTier.STORE_TIER_PRO, null]);
