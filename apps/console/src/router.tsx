import { createRoute, createRouter, redirect } from '@tanstack/react-router';
import { accountRoutes } from './account/routes.ts';
import { agentRoutes } from './agents/routes.ts';
import { onSignedOut } from './api/queries.ts';
import { calendarRoutes } from './calendar/routes.ts';
import { connectionRoutes } from './connections/routes.ts';
import { eventRoutes } from './events/routes.ts';
import { followupRoutes } from './followups/routes.ts';
import { closeOwn } from './inbox/own-storage.ts';
import { inboxRoutes } from './inbox/routes.ts';
import { keyRoutes } from './keys/routes.ts';
import { knowledgeRoutes } from './knowledge/routes.ts';
import { leadRoutes } from './leads/routes.ts';
import { login } from './login/routes.ts';
import { operationRoutes } from './operations/routes.ts';
import { reportRoutes } from './reports/routes.ts';
import { settingRoutes } from './settings/routes.ts';
import { root, shell } from './shell/routes.ts';
import { teamRoutes } from './team/routes.ts';
import { LoadFailed } from './ui/load-failed.tsx';
import { forget } from './unsaved.ts';
import { webhookRoutes } from './webhooks/routes.ts';

const start = createRoute({
  getParentRoute: () => shell,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/inbox', replace: true });
  },
});

const screens = shell.addChildren([
  start,
  ...inboxRoutes,
  ...leadRoutes,
  ...calendarRoutes,
  ...followupRoutes,
  ...agentRoutes,
  ...knowledgeRoutes,
  ...reportRoutes,
  ...teamRoutes,
  ...operationRoutes,
  ...settingRoutes,
  ...keyRoutes,
  ...webhookRoutes,
  ...eventRoutes,
  ...connectionRoutes,
  ...accountRoutes,
]);

export const router = createRouter({
  routeTree: root.addChildren([login, screens]),
  basepath: '/console',
  defaultPreload: 'intent',
  // Within the navigation, so that a screen that cannot be loaded leaves the way to the others.
  defaultErrorComponent: LoadFailed,
  scrollRestoration: true,
});

onSignedOut(() => {
  if (router.state.location.pathname === '/login') return;
  // As a new page, which has nothing of the person: not even what is not saved.
  closeOwn();
  forget();
  location.replace('/console/login?ended=true');
});

declare module '@tanstack/react-router' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface merges with the library's
  interface Register {
    router: typeof router;
  }
}
