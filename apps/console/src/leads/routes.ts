import { createRoute } from '@tanstack/react-router';
import { loadScreen } from '../new-version.ts';
import { shell } from '../shell/routes.ts';
import { readLeadSearch } from './lead-search.ts';

export const leadRoutes = [
  createRoute({ getParentRoute: () => shell, path: '/leads', validateSearch: readLeadSearch }).lazy(
    loadScreen(() => import('./leads.tsx')),
  ),
  createRoute({ getParentRoute: () => shell, path: '/leads/$leadId' }).lazy(loadScreen(() => import('./lead.tsx'))),
] as const;
