import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { sessionQuery } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Page } from '../ui/page.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { settingsQuery } from './queries.ts';
import { SettingsForm } from './settings-form.tsx';
import { SettingsTabs } from './settings-tabs.tsx';

export const route = createLazyRoute('/shell/settings')({ component: Settings });

function Settings() {
  const { data: session } = useQuery(sessionQuery);
  const { data: settings, error, refetch } = useQuery(settingsQuery);
  const isOwner = session?.role === 'owner';
  if (error && !settings) return <LoadFailed error={error} retry={refetch} />;
  return (
    <Page title={m.settings()} about={isOwner || !session ? m.settings_about() : m.settings_read_only()}>
      <SettingsTabs />
      {settings ? <SettingsForm settings={settings} mayChange={isOwner} /> : <Skeleton width="full" />}
    </Page>
  );
}
