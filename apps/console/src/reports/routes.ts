import { createRoute } from '@tanstack/react-router';
import { loadScreen } from '../new-version.ts';
import { shell } from '../shell/routes.ts';
import { readReportSearch } from './report-search.ts';

export const reportRoutes = [
  createRoute({ getParentRoute: () => shell, path: '/reports', validateSearch: readReportSearch }).lazy(
    loadScreen(() => import('./reports.tsx')),
  ),
] as const;
