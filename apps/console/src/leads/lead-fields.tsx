import { useQuery } from '@tanstack/react-query';
import type { RefObject } from 'react';
import { Failure, faultOf } from '../api/failure.ts';
import { phoneFaultOf } from '../api/phone-fault.ts';
import type { Lead } from '../api/platform.ts';
import { sellersQuery, sessionQuery } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { SelectField, TextField } from '../ui/field.tsx';
import { type Draft, readTags } from './lead-draft.ts';
import { sellerChoices } from './seller-choices.ts';
import { leadStatuses, phoneOf, wordsOfStatus } from './words.ts';

export type Faults = { readonly name?: string; readonly customer_phone?: string };

/** What the form has. The phone of the lead is shown with a plus sign, and stays the same when it is not changed. */
export function readDraft(form: FormData, lead?: Lead): Draft {
  const text = (name: string) => String(form.get(name) ?? '').trim();
  const phone = text('customer_phone');
  return {
    name: text('name'),
    customer_phone: lead && phone === phoneOf(lead) ? lead.customer_phone : phone,
    status: leadStatuses.find((status) => status === form.get('status')) ?? 'pending',
    seller_id: text('seller_id') || null,
    email: text('email') || null,
    external_id: text('external_id') || null,
    tags: readTags(text('tags')),
  };
}

export function faultsOf({ name, customer_phone }: Draft): Faults {
  return {
    ...(name === '' && { name: m.leads_name_missing() }),
    ...(customer_phone !== null && !/\d/.test(customer_phone) && { customer_phone: m.leads_phone_missing() }),
  };
}

type LeadFieldsProps = {
  /** Undefined: it is a new one. */
  readonly lead?: Lead | undefined;
  readonly nameRef: RefObject<HTMLInputElement | null>;
  readonly faults: Faults;
  readonly error: unknown;
};

export function LeadFields({ lead, nameRef, faults, error }: LeadFieldsProps) {
  const { data: session } = useQuery(sessionQuery);
  const { data: sellers } = useQuery(sellersQuery);
  const isTaken = (code: string) => error instanceof Failure && error.code === code;
  // A new lead of a seller is theirs: without a seller anybody could take it.
  const seller = lead ? lead.seller_id : session?.role === 'seller' ? session.seller_id : null;
  return (
    <>
      <TextField
        ref={nameRef}
        name="name"
        label={m.leads_name()}
        error={faults.name ?? faultOf(error, '#/name')}
        maxLength={200}
        defaultValue={lead?.name}
      />
      <TextField
        name="customer_phone"
        type="tel"
        inputMode="tel"
        label={m.leads_phone()}
        hint={m.leads_phone_hint()}
        error={
          faults.customer_phone ??
          (isTaken('lead_exists') ? m.leads_phone_taken() : phoneFaultOf(error, '#/customer_phone', m.leads_phone_bad))
        }
        maxLength={40}
        defaultValue={lead && phoneOf(lead)}
      />
      <SelectField
        name="status"
        label={m.leads_status()}
        defaultValue={lead?.status ?? 'pending'}
        choices={leadStatuses.map((status) => [status, wordsOfStatus(status)] as const)}
      />
      {sellers && session && (
        <SelectField
          name="seller_id"
          label={m.leads_seller()}
          defaultValue={seller ?? ''}
          choices={sellerChoices(sellers, seller)}
        />
      )}
      <TextField
        name="email"
        type="email"
        label={m.leads_email()}
        error={faultOf(error, '#/email') && m.leads_email_bad()}
        maxLength={254}
        defaultValue={lead?.email ?? ''}
      />
      <TextField
        name="tags"
        label={m.leads_tags()}
        hint={m.leads_tags_hint()}
        error={faultOf(error, '#/tags') && m.leads_tags_bad()}
        defaultValue={lead?.tags.join(', ')}
      />
      <TextField
        name="external_id"
        label={m.leads_external_id()}
        hint={m.leads_external_id_hint()}
        error={isTaken('external_id_exists') ? m.leads_external_id_taken() : faultOf(error, '#/external_id')}
        maxLength={200}
        defaultValue={lead?.external_id ?? ''}
      />
    </>
  );
}

const saidAtField = new Set(['lead_exists', 'external_id_exists', 'validation_failed']);

/** Whether the failure stands at one of the fields already. */
export const isSaidAtField = (error: unknown): boolean => error instanceof Failure && saidAtField.has(error.code);
