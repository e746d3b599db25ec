import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { faultOf, wordsOf } from '../api/failure.ts';
import { dataOf, platform, type Seller } from '../api/platform.ts';
import { queries } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { Bad } from '../ui/page.tsx';
import { LinkOnce } from './link-once.tsx';
import { faultsOf, type PersonFaults, PersonFields, type PersonForm, readPerson } from './person-fields.tsx';
import { peopleQuery } from './queries.ts';

type InvitePersonProps = { readonly sellers: readonly Seller[]; readonly open: boolean; readonly onClose: () => void };

/** Asks who comes and what they may do, then shows their login link once. */
export function InvitePerson({ sellers, open, onClose }: InvitePersonProps) {
  const email = useRef<HTMLInputElement>(null);
  const [faults, setFaults] = useState<PersonFaults>({});
  const invite = useMutation({
    mutationFn: (body: PersonForm & { email: string }) => dataOf(platform.POST('/users', { body })),
    onSuccess: () => queries.invalidateQueries(peopleQuery),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const body = { ...readPerson(form), email: String(form.get('email')).trim() };
    const found = { ...(/^\S+@\S+$/.test(body.email) ? {} : { email: m.team_email_bad() }), ...faultsOf(body) };
    setFaults(found);
    if (found.email) return email.current?.focus();
    if (Object.keys(found).length === 0 && !invite.isPending) invite.mutate(body);
  };
  const made = invite.data;
  const refused = faultOf(invite.error, '#/email') && m.team_email_bad();
  return (
    <Dialog
      open={open}
      onClose={() => made || onClose()}
      onClosed={() => {
        invite.reset();
        setFaults({});
      }}
      title={made ? m.team_link_title({ name: made.user.name }) : m.team_invite_title()}
      about={made ? m.team_link_text() : m.team_invite_text()}
      initialFocus={email}
    >
      {made ? (
        <LinkOnce link={made} onClose={onClose} />
      ) : (
        <Form onSubmit={submit}>
          <DialogBody>
            <TextField
              label={m.team_email()}
              error={faults.email ?? refused}
              ref={email}
              name="email"
              type="email"
              maxLength={254}
            />
            <PersonFields sellers={sellers} faults={faults} error={invite.error} />
            {invite.error && !refused && <Bad>{wordsOf(invite.error)}</Bad>}
          </DialogBody>
          <DialogFoot>
            <Button onClick={onClose}>{m.cancel()}</Button>
            <Button type="submit" kind="main" busy={invite.isPending}>
              {m.team_invite()}
            </Button>
          </DialogFoot>
        </Form>
      )}
    </Dialog>
  );
}
