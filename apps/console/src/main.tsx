import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './styles/tokens.css';
import './styles/base.css';
import { Failure } from './api/failure.ts';
import { queries } from './api/queries.ts';
import { hearOfSession } from './api/session.ts';
import { followNewVersion } from './new-version.ts';
import { defineCustomClientStrategy, getLocale, locales } from './paraglide/runtime.js';
import { router } from './router.tsx';
import { preferredLocale } from './shell/preferred-locale.ts';
import { bringFont } from './styles/font.ts';

defineCustomClientStrategy('custom-browser', {
  getLocale: () => preferredLocale(navigator.languages, locales),
  setLocale: () => {},
});
document.documentElement.lang = getLocale();
bringFont();
hearOfSession();
followNewVersion({
  isNavigating: () => router.state.isLoading,
  unreachable: (cause) => new Failure('offline', 0, String(cause)),
});

createRoot(document.getElementById('root') as HTMLElement, {
  // The page says in words what the server answers, or that it does not.
  onCaughtError: (error) => {
    if (!(error instanceof Failure)) reportError(error);
  },
}).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
