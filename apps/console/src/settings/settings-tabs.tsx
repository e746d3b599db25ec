import { m } from '../paraglide/messages.js';
import { Tabs } from '../ui/tabs.tsx';

export const SettingsTabs = () => (
  <Tabs
    label={m.settings()}
    tabs={[
      { to: '/settings', label: m.settings_store() },
      { to: '/settings/booking', label: m.booking() },
    ]}
  />
);
