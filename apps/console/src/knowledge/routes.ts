import { createRoute } from '@tanstack/react-router';
import { loadScreen } from '../new-version.ts';
import { shell } from '../shell/routes.ts';

export type KnowledgeSearch = { readonly q?: string; readonly document?: string };

/** What stands behind the `?` of the address: the question, and the open document. */
const readKnowledgeSearch = ({ q, document }: Record<string, unknown>): KnowledgeSearch => ({
  ...(typeof q === 'string' && q !== '' ? { q: q.slice(0, 500) } : {}),
  ...(typeof document === 'string' ? { document } : {}),
});

export const knowledgeRoutes = [
  createRoute({ getParentRoute: () => shell, path: '/knowledge', validateSearch: readKnowledgeSearch }).lazy(
    loadScreen(() => import('./knowledge.tsx')),
  ),
] as const;
