import { createRoute } from '@tanstack/react-router';
import { shell } from '../shell/routes.ts';
import { readAuditSearch } from './audit-search.ts';

export const teamRoutes = [
  createRoute({ getParentRoute: () => shell, path: '/team' }).lazy(() =>
    import('./people.tsx').then(({ route }) => route),
  ),
  createRoute({ getParentRoute: () => shell, path: '/team/sellers' }).lazy(() =>
    import('./sellers.tsx').then(({ route }) => route),
  ),
  createRoute({ getParentRoute: () => shell, path: '/team/audit-log', validateSearch: readAuditSearch }).lazy(() =>
    import('./audit-log.tsx').then(({ route }) => route),
  ),
] as const;
