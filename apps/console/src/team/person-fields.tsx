import { useState } from 'react';
import { faultOf } from '../api/failure.ts';
import type { Person, Seller } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { SelectField, TextField } from '../ui/field.tsx';
import { type Role, roleHints, roleOf, roles, roleWords } from './roles.ts';

export type PersonForm = { readonly name: string; readonly role: Role; readonly seller_id: string | null };
export type PersonFaults = { readonly email?: string; readonly name?: string; readonly seller?: string };

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
};

/** The name of a person, what they may do, and which seller they are. */
export function PersonFields({ person, sellers, faults, error }: PersonFieldsProps) {
  const [role, setRole] = useState<Role>(person?.role ?? 'seller');
  const choices = sellers.filter(({ id, is_active }) => is_active || id === person?.seller_id);
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
        hint={choices.length === 0 ? m.team_no_sellers_hint() : m.team_which_seller_hint()}
        error={faults.seller ?? faultOf(error, '#/seller_id')}
        name="seller"
        defaultValue={person?.seller_id ?? ''}
        choices={[['', m.team_no_seller()], ...choices.map(({ id, name }) => [id, name] as const)]}
      />
    </>
  );
}
