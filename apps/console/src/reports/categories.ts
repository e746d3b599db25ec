import { m } from '../paraglide/messages.js';

const names: Readonly<Record<string, () => string>> = {
  marketing: m.reports_category_marketing,
  utility: m.reports_category_utility,
  authentication: m.reports_category_authentication,
  service: m.reports_category_service,
  other: m.reports_category_other,
};

/** What WhatsApp bills a message as. A category that is newer than this page keeps the word of WhatsApp. */
export const categoryName = (category: string): string => names[category]?.() ?? category;
