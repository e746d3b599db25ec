import { createRoute } from '@tanstack/react-router';
import { loadScreen } from '../new-version.ts';
import { shell } from '../shell/routes.ts';
import { readAuditSearch } from './audit-search.ts';

export const teamRoutes = [
  createRoute({ getParentRoute: () => shell, path: '/team' }).lazy(loadScreen(() => import('./people.tsx'))),
  createRoute({ getParentRoute: () => shell, path: '/team/sellers' }).lazy(loadScreen(() => import('./sellers.tsx'))),
  createRoute({ getParentRoute: () => shell, path: '/team/audit-log', validateSearch: readAuditSearch }).lazy(
    loadScreen(() => import('./audit-log.tsx')),
  ),
] as const;
