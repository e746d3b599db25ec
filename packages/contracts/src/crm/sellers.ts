import { type Static, type TLiteral, Type } from '@sinclair/typebox';
import { About, Exact, Page, paging, Text, Uuid, WrittenPhone } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';

export const Seller = Type.Object(
  {
    id: About(Uuid, 'The id of the seller.'),
    name: Type.String({ description: 'The name of the seller.' }),
    whatsapp_id: Type.String({ description: 'The seller’s own number on the channel, digits only.' }),
    is_active: Type.Boolean({ description: 'Whether leads can be assigned to the seller.' }),
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

export const sellerOperations = {
  createSeller,
  listSellers,
  getSeller,
  updateSeller,
  deleteSeller,
  checkSeller,
} as const;
