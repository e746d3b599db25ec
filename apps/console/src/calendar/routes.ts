import { createRoute } from '@tanstack/react-router';
import { loadScreen } from '../new-version.ts';
import { shell } from '../shell/routes.ts';
import { readCalendarSearch } from './calendar-search.ts';

export const calendarRoutes = [
  createRoute({ getParentRoute: () => shell, path: '/calendar', validateSearch: readCalendarSearch }).lazy(
    loadScreen(() => import('./calendar.tsx')),
  ),
] as const;
