import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { sellersQuery, sessionQuery } from '../api/queries.ts';
import { rulesQuery, servicesQuery } from '../calendar/booking-queries.ts';
import { m } from '../paraglide/messages.js';
import { SettingsTabs } from '../settings/settings-tabs.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Page } from '../ui/page.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { BookedPeople } from './booked-people.tsx';
import { FirstRules } from './first-rules.tsx';
import { RulesForm } from './rules-form.tsx';
import { Services } from './services.tsx';

export const route = createLazyRoute('/shell/settings/booking')({ component: BookingSettings });

/** How the store is booked: its rules, what is booked, and who. */
function BookingSettings() {
  const { data: session } = useQuery(sessionQuery);
  const rules = useQuery({ ...rulesQuery, staleTime: 0 });
  const services = useQuery(servicesQuery);
  const sellers = useQuery(sellersQuery);
  const all = [rules, services, sellers];
  const failed = all.find(({ error, data }) => error && data === undefined);
  if (failed) return <LoadFailed error={failed.error} retry={() => all.forEach(({ refetch }) => void refetch())} />;
  const mayChange = session?.role !== 'seller';
  const isKnown = session && rules.data !== undefined && services.data && sellers.data;
  return (
    <Page title={m.settings()} about={mayChange ? m.booking_about() : m.booking_read_only()}>
      <SettingsTabs />
      {!isKnown ? (
        <Skeleton width="full" />
      ) : rules.data ? (
        <>
          <RulesForm rules={rules.data} mayChange={mayChange} />
          <Services services={services.data} sellers={sellers.data} mayChange={mayChange} />
          <BookedPeople sellers={sellers.data} mayChange={mayChange} />
        </>
      ) : (
        <FirstRules mayChange={mayChange} />
      )}
    </Page>
  );
}
