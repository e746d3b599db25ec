import { type Static, type TLiteral, Type } from '@sinclair/typebox';
import { About, Exact, NullableString, NullableText, Page, paging, Text, Uuid } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { mostBufferMinutes } from './booking-rules.ts';

const about = {
  name: 'What the service is.',
  duration_minutes: 'How long it takes, in minutes.',
  buffer_before_minutes: 'Instead of the buffer of the rules. Null: that of the rules.',
  buffer_after_minutes: 'Instead of the buffer of the rules. Null: that of the rules.',
  seller_ids:
    'The sellers who give it, each a seller of the store. One who is not `bookable` and active is neither offered nor ' +
    'booked until they are. Empty: it takes a place of the store.',
  price_text: 'What it costs, as customers read it. Mostrador computes nothing from it.',
  is_active: 'Whether it can be booked.',
};

const NullableBuffer = (description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 0, maximum: mostBufferMinutes, description });
const Duration = Type.Integer({ minimum: 1, maximum: 1440, description: about.duration_minutes });
const SellerIds = Type.Array(Uuid, { maxItems: 50, uniqueItems: true, description: about.seller_ids });

/** The members that are the same in a reply and in a request. */
const content = {
  duration_minutes: Duration,
  buffer_before_minutes: NullableBuffer(about.buffer_before_minutes),
  buffer_after_minutes: NullableBuffer(about.buffer_after_minutes),
  seller_ids: SellerIds,
  is_active: Type.Boolean({ description: about.is_active }),
};

export const Service = Type.Object(
  {
    id: About(Uuid, 'The id of the service.'),
    name: Type.String({ description: about.name }),
    price_text: About(NullableString, about.price_text),
    ...content,
  },
  { title: 'Service', description: 'What customers book: how long it takes, and who gives it.' },
);
export type Service = Static<typeof Service>;

const { duration_minutes, buffer_before_minutes, buffer_after_minutes, seller_ids, is_active } = content;
const changes = {
  buffer_before_minutes: Type.Optional(buffer_before_minutes),
  buffer_after_minutes: Type.Optional(buffer_after_minutes),
  seller_ids: Type.Optional(seller_ids),
  is_active: Type.Optional(is_active),
  price_text: Type.Optional(NullableText(100, { description: about.price_text })),
};
const Name = Text(200, { description: about.name });

const serviceParams = Exact({ serviceId: About(Uuid, 'The id of the service.') });

export const createService = defineOperation({
  subject: 'scheduling.api.services.create',
  http: { method: 'POST', path: '/services', status: 201, versioned: true },
  access: { scope: 'booking:write' },
  summary: 'Create a service',
  extension: true,
  request: { body: Exact({ name: Name, duration_minutes, ...changes }, { description: 'A new service.' }) },
  reply: Service,
  errors: ['seller_not_found'],
});

export const listStoreServices = defineOperation({
  subject: 'scheduling.api.services.list',
  http: { method: 'GET', path: '/services' },
  access: { scope: 'booking:read' },
  summary: 'List services',
  description: 'Active and inactive services, in the order of creation.',
  extension: true,
  request: { query: Exact(paging()) },
  reply: Page(Service),
});

export const getService = defineOperation({
  subject: 'scheduling.api.services.get',
  http: { method: 'GET', path: '/services/:serviceId', versioned: true },
  access: { scope: 'booking:read' },
  summary: 'Read a service',
  extension: true,
  request: { params: serviceParams },
  reply: Service,
  errors: ['service_not_found'],
});

export const updateService = defineOperation({
  subject: 'scheduling.api.services.update',
  http: { method: 'PATCH', path: '/services/:serviceId', versioned: true },
  access: { scope: 'booking:write' },
  summary: 'Change a service',
  description: 'Send at least one member; members left out stay as they are. Appointments that exist stay as they are.',
  extension: true,
  request: {
    params: serviceParams,
    body: Exact(
      { name: Type.Optional(Name), duration_minutes: Type.Optional(duration_minutes), ...changes },
      { minProperties: 1, description: 'At least one member. Members left out stay as they are.' },
    ),
  },
  reply: Service,
  errors: ['service_not_found', 'seller_not_found', 'version_mismatch'],
});

export const deleteService = defineOperation({
  subject: 'scheduling.api.services.delete',
  http: { method: 'DELETE', path: '/services/:serviceId', versioned: true },
  access: { scope: 'booking:write' },
  summary: 'Delete a service permanently',
  description: 'Its appointments stay, with their `service_id`. Making it inactive is often the better choice.',
  extension: true,
  request: { params: serviceParams },
  reply: Type.Object(
    { deleted: Type.Literal(true) as TLiteral<true>, id: About(Uuid, 'The id of the deleted service.') },
    { description: 'The service is deleted.' },
  ),
  errors: ['service_not_found', 'version_mismatch'],
});

export const serviceOperations = {
  createService,
  listStoreServices,
  getService,
  updateService,
  deleteService,
} as const;
