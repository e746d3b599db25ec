import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { faultOf, wordsOf } from '../api/failure.ts';
import { dataOf, platform, type Seller } from '../api/platform.ts';
import { queries } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { DialogForm } from '../ui/form.tsx';
import { LinkOnce } from './link-once.tsx';
import { faultsOf, newSeller, type PersonFaults, PersonFields, type PersonForm, readPerson } from './person-fields.tsx';
import { peopleQuery } from './queries.ts';
import { sellersChanged } from './seller-form.tsx';

type Invitation = PersonForm & { readonly email: string; readonly phone: string };

type InvitePersonProps = { readonly sellers: readonly Seller[]; readonly open: boolean; readonly onClose: () => void };

/** Asks who comes and what they may do, then shows their login link once. */
export function InvitePerson({ sellers, open, onClose }: InvitePersonProps) {
  const email = useRef<HTMLInputElement>(null);
  const [faults, setFaults] = useState<PersonFaults>({});
  // What was created for an invitation that was then refused.
  const created = useRef<{ readonly name: string; readonly phone: string; readonly id: string }>(undefined);
  const createSeller = async (name: string, phone: string) => {
    if (created.current?.name === name && created.current.phone === phone) return created.current.id;
    const { id } = await dataOf(platform.POST('/sellers', { body: { name, whatsapp_id: phone, is_active: true } }));
    created.current = { name, phone, id };
    void sellersChanged();
    return id;
  };
  const invite = useMutation({
    mutationFn: async ({ phone, ...person }: Invitation) => {
      const { name, seller_id } = person;
      const seller = seller_id === newSeller ? await createSeller(name, phone) : seller_id;
      return await dataOf(platform.POST('/users', { body: { ...person, seller_id: seller } }));
    },
    onSuccess: () => queries.invalidateQueries(peopleQuery),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const phone = String(form.get('phone') ?? '').trim();
    const body = { ...readPerson(form), email: String(form.get('email')).trim(), phone };
    const found: PersonFaults = {
      ...(/^\S+@\S+$/.test(body.email) ? {} : { email: m.team_email_bad() }),
      ...faultsOf(body),
      ...(body.seller_id === newSeller && !/\d/.test(phone) ? { phone: m.team_whatsapp_bad() } : {}),
    };
    setFaults(found);
    if (found.email) return email.current?.focus();
    if (Object.keys(found).length === 0 && !invite.isPending) invite.mutate(body);
  };
  const made = invite.data;
  const refused = faultOf(invite.error, '#/email') && m.team_email_bad();
  const isAtField = refused || faultOf(invite.error, '#/whatsapp_id');
  return (
    <Dialog
      open={open}
      onClose={() => made || onClose()}
      onClosed={() => {
        invite.reset();
        setFaults({});
        created.current = undefined;
      }}
      title={made ? m.team_link_title({ name: made.user.name }) : m.team_invite_title()}
      about={made ? m.team_link_text() : m.team_invite_text()}
      initialFocus={email}
    >
      {made ? (
        <LinkOnce link={made} onClose={onClose} />
      ) : (
        <DialogForm
          onSubmit={submit}
          onClose={onClose}
          action={m.team_invite()}
          busy={invite.isPending}
          bad={invite.error && !isAtField ? wordsOf(invite.error) : undefined}
        >
          <TextField
            label={m.team_email()}
            error={faults.email ?? refused}
            ref={email}
            name="email"
            type="email"
            maxLength={254}
          />
          <PersonFields sellers={sellers} faults={faults} error={invite.error} mayCreate />
        </DialogForm>
      )}
    </Dialog>
  );
}
