import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  accountsOperations,
  crmOperations,
  type ErrorCode,
  errorCatalogue,
  eventsOperations,
  messagingOperations,
  type Operation,
  operations,
  schedulingOperations,
} from '@mostrador/contracts';
import { expect, test } from 'vitest';
import { eventStreamRoute } from '../events/add-event-stream.ts';
import { accountRoutes, personRoutes, routes } from '../routes/index.ts';
import { takesIfMatch, takesIfNoneMatch } from '../routes/route.ts';
import { errorsOf } from './errors.ts';
import { createPlatformDocument } from './platform-document.ts';

const codes = Object.keys(errorCatalogue) as ErrorCode[];
const declaredBy = (each: Record<string, Operation>) => new Set(Object.values(each).flatMap(({ errors }) => errors));

test('each code of the catalogue is declared by an operation, except those of requests that reach none', () => {
  const ofPeople = JSON.stringify(
    createPlatformDocument([...accountRoutes, ...personRoutes], { publicUrl: 'https://api.example.com' }).components,
  );
  const ofKeys = new Set([...routes, eventStreamRoute].flatMap(errorsOf));
  const ofAll = declaredBy(operations);
  const undeclared = codes.filter((code) => !ofAll.has(code) && !ofKeys.has(code) && !ofPeople.includes(`"${code}"`));
  expect(undeclared).toEqual(['route_not_found', 'method_not_allowed']);
});

/** What a request names by an id, and the code for an id of nothing. Lists with such a filter are empty instead. */
const notFound: Readonly<Record<string, ErrorCode>> = {
  agentId: 'agent_not_found',
  evalId: 'agent_eval_not_found',
  appointmentId: 'appointment_not_found',
  deliveryId: 'webhook_delivery_not_found',
  documentId: 'document_not_found',
  endpointId: 'webhook_endpoint_not_found',
  eventId: 'event_not_found',
  followupId: 'followup_not_found',
  holdId: 'hold_not_found',
  leadId: 'lead_not_found',
  messageId: 'message_not_found',
  replayId: 'webhook_replay_not_found',
  sellerId: 'seller_not_found',
  serviceId: 'service_not_found',
  sessionId: 'session_not_found',
};
const camelCase = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

test.each(routes)('$method $path declares the codes that its request can meet', (route) => {
  const { operation, path } = route;
  const { params, body } = operation.request;
  const expected: string[] = [];
  // The last id is of what the operation is about. A row below it answers for its parent, too.
  const last = Object.keys(params?.properties ?? {}).at(-1);
  if (last !== undefined && !path.includes('by-phone')) expected.push(notFound[last] ?? `an entry for ${last}`);
  for (const name of Object.keys(body?.properties ?? {}).filter((each) =>
    /^(lead|seller|agent|service|hold)_id$/.test(each),
  ))
    expected.push(notFound[camelCase(name)] ?? '');
  if (body?.properties.seller_id) expected.push('seller_inactive');
  if (takesIfMatch(route) || takesIfNoneMatch(route)) expected.push('version_mismatch');
  expect(operation.errors).toEqual(expect.arrayContaining(expected));
  const mayMismatch = operation.errors.includes('version_mismatch');
  expect(mayMismatch).toBe(takesIfMatch(route) || takesIfNoneMatch(route));
});

const services = {
  accounts: accountsOperations,
  crm: crmOperations,
  scheduling: schedulingOperations,
  messaging: messagingOperations,
  events: eventsOperations,
};
/** The codes that any operation can answer: the kit and the gateway make them. */
const ofAny = new Set<string>(errorsOf({ ...eventStreamRoute, method: 'POST', tier: 'pro' }));
ofAny.delete('cursor_expired');

test.each(Object.entries(services))(
  '%s answers the codes that its operations declare, and no others',
  (name, ofService) => {
    const folder = resolve(import.meta.dirname, `../../../${name}/src`);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const source = files
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => readFileSync(join(folder, file), 'utf8'))
      .join('\n');
    const thrown = codes.filter((code) => new RegExp(`AppError\\(\\s*'${code}'`).test(source) && !ofAny.has(code));
    const declared = declaredBy(ofService);
    expect(thrown.filter((code) => !declared.has(code))).toEqual([]);
    // Another service makes the code, or the kit.
    const elsewhere = [
      ...['version_mismatch', 'role_required', 'lead_not_found', 'seller_not_found', 'seller_inactive'],
      ...['template_not_found', 'template_not_approved'],
    ];
    const unused = [...declared].filter((code) => !source.includes(`'${code}'`) && !elsewhere.includes(code));
    expect(unused).toEqual([]);
  },
);
