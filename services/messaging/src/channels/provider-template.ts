import type { Template } from '@mostrador/contracts';

/** A template as a provider tells it. */
export type ProviderTemplate = Omit<Template, 'id' | 'updated_at'>;

/** A page of an account's templates. `after`: the cursor of the next page; null on the last one. */
export type TemplatePage = { readonly templates: readonly ProviderTemplate[]; readonly after: string | null };
