import { createRoute } from '@tanstack/react-router';
import { loadScreen } from '../new-version.ts';
import { shell } from '../shell/routes.ts';
import { readOperationsSearch } from './operations-search.ts';

export const operationRoutes = [
  createRoute({ getParentRoute: () => shell, path: '/operations', validateSearch: readOperationsSearch }).lazy(
    loadScreen(() => import('./operations.tsx')),
  ),
] as const;
