import { getDocument, listDocuments, searchKnowledge } from '@mostrador/contracts';
import { get, type Route, route } from './route.ts';

const read = { tag: 'Knowledge', scope: 'knowledge:read' } as const;

export const knowledgeRoutes: readonly Route[] = [
  route(get('/knowledge/documents'), listDocuments, read),
  route(get('/knowledge/documents/:documentId'), getDocument, read),
  route(get('/knowledge/search'), searchKnowledge, read),
];
