import { type Static, type TLiteral, Type } from '@sinclair/typebox';
import { About, Exact, Page, paging, Text, Uuid, WrittenPhone } from '../core/common.ts';
import { NullableHours } from '../core/hours.ts';
import { defineOperation } from '../core/operation.ts';

const bookable = 'Whether customers can book the seller: appointments with the seller take the seller’s own place.';
const hours = 'When the seller can be booked, in the store’s time zone. Null: whenever the store is open.';
const booked = {
  bookable: Type.Optional(Type.Boolean({ description: bookable })),
  hours: Type.Optional(NullableHours(hours)),
};

export const Seller = Type.Object(
  {
    id: About(Uuid, 'The id of the seller.'),
    name: Type.String({ description: 'The name of the seller.' }),
    whatsapp_id: Type.String({ description: 'The seller’s own number on the channel, digits only.' }),
    is_active: Type.Boolean({ description: 'Whether leads can be assigned to the seller.' }),
    // Members that came after the first ones are optional in the document: see `document-clients.test.ts` on required ones.
    ...booked,
  },
  { title: 'Seller', description: 'A person of the store to whom leads are assigned.' },
);
export type Seller = Static<typeof Seller>;

const sellerParams = Exact({ sellerId: About(Uuid, 'The id of the seller.') });

export const createSeller = defineOperation({
  subject: 'crm.api.sellers.create',
  http: { method: 'POST', path: '/sellers', status: 201, versioned: true },
  access: { scope: 'sellers:write' },
  summary: 'Create a seller',
  extension: true,
  request: {
    body: Exact(
      {
        name: Text(200, { description: 'The name of the seller.' }),
        whatsapp_id: WrittenPhone,
        is_active: Type.Optional(
          Type.Boolean({ default: true, description: 'Whether leads can be assigned to the seller.' }),
        ),
        ...booked,
      },
      { description: 'A new seller.' },
    ),
  },
  reply: Seller,
});

export const listSellers = defineOperation({
  subject: 'crm.api.sellers.list',
  http: { method: 'GET', path: '/sellers' },
  access: { scope: 'sellers:read' },
  summary: 'List sellers',
  description: 'Active and inactive sellers, in the order of creation.',
  extension: true,
  request: { query: Exact(paging()) },
  reply: Page(Seller),
});

export const getSeller = defineOperation({
  subject: 'crm.api.sellers.get',
  http: { method: 'GET', path: '/sellers/:sellerId', versioned: true },
  access: { scope: 'sellers:read' },
  summary: 'Read a seller',
  request: { params: sellerParams },
  reply: Seller,
  errors: ['seller_not_found'],
});

export const updateSeller = defineOperation({
  subject: 'crm.api.sellers.update',
  http: { method: 'PATCH', path: '/sellers/:sellerId', versioned: true },
  access: { scope: 'sellers:write' },
  summary: 'Change a seller',
  description:
    'Send at least one member; members left out stay as they are. An inactive seller keeps their leads, and gets no ' +
    'new ones.',
  request: {
    params: sellerParams,
    body: Exact(
      {
        name: Type.Optional(Text(200, { description: 'The name of the seller.' })),
        whatsapp_id: Type.Optional(WrittenPhone),
        is_active: Type.Optional(Type.Boolean({ description: 'Whether leads can be assigned to the seller.' })),
        ...booked,
      },
      { minProperties: 1, description: 'At least one member. Members left out stay as they are.' },
    ),
  },
  reply: Seller,
  errors: ['seller_not_found', 'version_mismatch'],
});

export const deleteSeller = defineOperation({
  subject: 'crm.api.sellers.delete',
  http: { method: 'DELETE', path: '/sellers/:sellerId', versioned: true },
  access: { scope: 'sellers:write' },
  summary: 'Delete a seller permanently',
  description:
    'The same transaction unassigns the seller’s leads: their `seller_id` becomes null, and their ETag and ' +
    '`updated_at` change. Making the seller inactive (`is_active: false`) is often the better choice.',
  request: { params: sellerParams },
  reply: Type.Object(
    { deleted: Type.Literal(true) as TLiteral<true>, id: About(Uuid, 'The id of the deleted seller.') },
    { description: 'The seller is deleted.' },
  ),
  errors: ['seller_not_found', 'version_mismatch'],
});

/** Accounts calls this before a person becomes a seller. */
export const checkSeller = defineOperation({
  subject: 'crm.internal.sellers.check',
  summary: 'Check that the store has a seller, who is active',
  request: { body: Exact({ seller_id: Uuid }) },
  reply: Type.Object({ id: Uuid }),
  errors: ['seller_not_found', 'seller_inactive'],
});

/** Scheduling asks for the people of a booking: what decides whether and when each can be booked. */
export const findBookedSellers = defineOperation({
  subject: 'crm.internal.sellers.find-booked',
  summary: 'Read who of some sellers can be booked, and when',
  request: { body: Exact({ seller_ids: Type.Array(Uuid, { maxItems: 100 }) }) },
  reply: Type.Object({
    sellers: Type.Array(
      Type.Object({ id: Uuid, is_active: Type.Boolean(), bookable: Type.Boolean(), hours: NullableHours(hours) }),
    ),
  }),
});

/**
 * The detail of `seller_not_found` for a request that names several sellers: the first whom the store does not have.
 * Undefined: it has all of them.
 *
 * @param found those of the store, whose ids are in lower case
 */
export function detailOfMissingSeller(
  wanted: readonly string[],
  found: readonly { readonly id: string }[],
): string | undefined {
  const missing = wanted.find((id) => !found.some((seller) => seller.id === id.toLowerCase()));
  return missing && `The store has no seller with the id ${missing}. Check the id.`;
}

export const sellerOperations = {
  createSeller,
  listSellers,
  getSeller,
  updateSeller,
  deleteSeller,
  checkSeller,
  findBookedSellers,
} as const;
