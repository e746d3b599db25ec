import { createRoute } from '@tanstack/react-router';
import { shell } from '../shell/routes.ts';
import { readCalendarSearch } from './calendar-search.ts';

export const calendarRoutes = [
  createRoute({ getParentRoute: () => shell, path: '/calendar', validateSearch: readCalendarSearch }).lazy(() =>
    import('./calendar.tsx').then(({ route }) => route),
  ),
] as const;
