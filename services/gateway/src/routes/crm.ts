import {
  createLead,
  createSeller,
  deleteSeller,
  getLead,
  getSeller,
  listLeads,
  listSellers,
  updateLead,
  updateSeller,
  upsertLead,
} from '@mostrador/contracts';
import { del, get, patch, post, put, type Route, route } from './route.ts';

const readLeads = { tag: 'Leads', scope: 'leads:read' } as const;
const writeLeads = { tag: 'Leads', scope: 'leads:write' } as const;
const readSellers = { tag: 'Sellers', scope: 'sellers:read' } as const;
const writeSellers = { tag: 'Sellers', scope: 'sellers:write' } as const;

export const crmRoutes: readonly Route[] = [
  route(post('/leads'), createLead, { ...writeLeads, status: 201, versioned: true }),
  route(get('/leads'), listLeads, readLeads),
  route(get('/leads/:leadId'), getLead, { ...readLeads, versioned: true }),
  route(patch('/leads/:leadId'), updateLead, { ...writeLeads, versioned: true }),
  route(put('/leads/by-phone/:phone'), upsertLead, { ...writeLeads, upserts: true, versioned: true }),
  route(post('/sellers'), createSeller, { ...writeSellers, status: 201, versioned: true }),
  route(get('/sellers'), listSellers, readSellers),
  route(get('/sellers/:sellerId'), getSeller, { ...readSellers, versioned: true }),
  route(patch('/sellers/:sellerId'), updateSeller, { ...writeSellers, versioned: true }),
  route(del('/sellers/:sellerId'), deleteSeller, { ...writeSellers, versioned: true }),
];
