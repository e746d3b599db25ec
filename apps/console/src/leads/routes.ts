import { createRoute } from '@tanstack/react-router';
import { shell } from '../shell/routes.ts';
import { readLeadSearch } from './lead-search.ts';

export const leadRoutes = [
  createRoute({ getParentRoute: () => shell, path: '/leads', validateSearch: readLeadSearch }).lazy(() =>
    import('./leads.tsx').then(({ route }) => route),
  ),
  createRoute({ getParentRoute: () => shell, path: '/leads/$leadId' }).lazy(() =>
    import('./lead.tsx').then(({ route }) => route),
  ),
] as const;
