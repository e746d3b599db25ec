import { createRoute } from '@tanstack/react-router';
import { Failure } from '../api/failure.ts';
import { dataOf, type LoginLink, platform, type Session } from '../api/platform.ts';
import { loadScreen } from '../new-version.ts';
import { root } from '../shell/routes.ts';

type LoginSearch = {
  readonly ended?: true;
  /** The code of what went wrong on the way back from the OpenID provider. */
  readonly failed?: string;
};

/** The name of the provider with which people may sign in here. Without an answer the other ways are still there. */
const providerName = async (): Promise<string | undefined> =>
  (await dataOf(platform.GET('/sign-in')).catch(() => undefined))?.oidc?.name;

type LoginData = {
  readonly failure?: Failure;
  readonly provider?: string | undefined;
  /** The link whose token stands in the address, and who is signed in in this browser. */
  readonly link?: { readonly token: string; readonly view: LoginLink; readonly current: Session | undefined };
};

export const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: ({ ended, failed }: { ended?: unknown; failed?: unknown }): LoginSearch => ({
    ...(ended ? { ended: true } : {}),
    ...(typeof failed === 'string' ? { failed } : {}),
  }),
  // The token stands behind the `#`, so that neither a server nor a log sees it. The page only looks at the link: programs
  // that check mails open it too, and somebody else may have led the person here.
  loader: async ({ location }): Promise<LoginData> => {
    const token = location.hash;
    if (!token) return { provider: await providerName() };
    try {
      const [view, current] = await Promise.all([
        dataOf(platform.POST('/login-link', { body: { token } })),
        dataOf(platform.GET('/session')).catch(() => undefined),
      ]);
      return { link: { token, view, current } };
    } catch (failure) {
      if (failure instanceof Failure) return { failure, provider: await providerName() };
      throw failure;
    }
  },
}).lazy(loadScreen(() => import('./login.tsx')));
