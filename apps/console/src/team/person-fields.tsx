import { useState } from 'react';
import { faultOf } from '../api/failure.ts';
import { phoneFaultOf } from '../api/phone-fault.ts';
import type { Person, Seller } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { SelectField, TextField } from '../ui/field.tsx';
import { type Role, roleHints, roleOf, roles, roleWords } from './roles.ts';

export type PersonForm = { readonly name: string; readonly role: Role; readonly seller_id: string | null };
export type PersonFaults = {
  readonly email?: string;
  readonly name?: string;
  readonly seller?: string;
  readonly phone?: string;
};

/** In the place of a seller's id: one is to be created with the name of the person. */
export const newSeller = 'new';

/** What the fields below say. */
export const readPerson = (form: FormData): PersonForm => ({
  name: String(form.get('name')).trim(),
  role: roleOf(form.get('role')),
  seller_id: String(form.get('seller') ?? '') || null,
});

export const faultsOf = ({ name, role, seller_id }: PersonForm): PersonFaults => ({
  ...(name === '' ? { name: m.team_name_missing() } : {}),
  ...(role === 'seller' && seller_id === null ? { seller: m.team_seller_missing() } : {}),
});

type PersonFieldsProps = {
  readonly person?: Person;
  readonly sellers: readonly Seller[];
  readonly faults: PersonFaults;
  readonly error: unknown;
  /** Whether a seller can be created with the person. */
  readonly mayCreate?: boolean;
};

/** The name of a person, what they may do, and which seller they are. */
export function PersonFields({ person, sellers, faults, error, mayCreate = false }: PersonFieldsProps) {
  const [role, setRole] = useState<Role>(person?.role ?? 'seller');
  const [chosen, setSeller] = useState<string | undefined>(person?.seller_id ?? undefined);
  // A person who sells needs a seller. A new person is mostly a new seller, so the form asks for what that needs.
  const seller = chosen ?? (role === 'seller' && mayCreate ? newSeller : '');
  const choices = sellers.filter(({ id, is_active }) => is_active || id === person?.seller_id);
  const hint =
    seller === newSeller
      ? m.team_new_seller_hint()
      : choices.length === 0 && !mayCreate
        ? m.team_no_sellers_hint()
        : m.team_which_seller_hint();
  return (
    <>
      <TextField
        label={m.team_name()}
        error={faults.name ?? faultOf(error, '#/name')}
        name="name"
        maxLength={200}
        defaultValue={person?.name}
      />
      <SelectField
        label={m.team_role()}
        hint={roleHints[role]()}
        name="role"
        value={role}
        onChange={({ target }) => setRole(roleOf(target.value))}
        choices={roles.map((each) => [each, roleWords[each]()] as const)}
      />
      <SelectField
        label={m.team_seller()}
        hint={hint}
        error={faults.seller ?? faultOf(error, '#/seller_id')}
        name="seller"
        value={seller}
        onChange={({ target }) => setSeller(target.value)}
        choices={[
          ['', m.team_no_seller()],
          ...(mayCreate ? [[newSeller, m.team_new_seller()] as const] : []),
          ...choices.map(({ id, name }) => [id, name] as const),
        ]}
      />
      {seller === newSeller && (
        <TextField
          label={m.team_whatsapp()}
          hint={m.team_whatsapp_hint()}
          error={faults.phone ?? phoneFaultOf(error, '#/whatsapp_id', m.team_whatsapp_bad)}
          name="phone"
          type="tel"
          maxLength={40}
        />
      )}
    </>
  );
}
