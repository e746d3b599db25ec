import { useMutation } from '@tanstack/react-query';
import { Ellipsis, KeyRound, Pencil, UserMinus } from 'lucide-react';
import { type FormEvent, useRef, useState } from 'react';
import { wordsOf } from '../api/failure.ts';
import { dataOf, type Person, platform, type Seller } from '../api/platform.ts';
import { keysQuery, queries } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { Dialog, DialogBody, DialogFoot } from '../ui/dialog.tsx';
import { DialogForm } from '../ui/form.tsx';
import { Menu, MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { Bad } from '../ui/page.tsx';
import { say } from '../ui/toasts.tsx';
import { Creations, type Ends } from './creations.tsx';
import { LinkOnce } from './link-once.tsx';
import { faultsOf, type PersonFaults, PersonFields, type PersonForm, readPerson } from './person-fields.tsx';
import { peopleQuery } from './queries.ts';

type Question = 'edit' | 'link' | 'remove';
type AskProps = { readonly person: Person; readonly open: boolean; readonly onClose: () => void };

/** What an owner can do with a person of the store. */
export function PersonActions({ person, sellers }: { person: Person; sellers: readonly Seller[] }) {
  const [asks, setAsks] = useState<Question>();
  const question = (name: Question) => ({ person, open: asks === name, onClose: () => setAsks(undefined) });
  return (
    <>
      <Menu
        trigger={
          <Button kind="bare" aria-label={m.team_actions({ name: person.name })}>
            <Ellipsis size={16} aria-hidden />
          </Button>
        }
      >
        <MenuItem icon={<Pencil size={14} />} onClick={() => setAsks('edit')}>
          {m.team_edit()}
        </MenuItem>
        {!person.disabled_at && (
          <MenuItem icon={<KeyRound size={14} />} onClick={() => setAsks('link')}>
            {m.team_new_link()}
          </MenuItem>
        )}
        <MenuSeparator />
        <MenuItem icon={<UserMinus size={14} />} danger onClick={() => setAsks('remove')}>
          {m.team_remove()}
        </MenuItem>
      </Menu>
      <EditPerson sellers={sellers} {...question('edit')} />
      <NewLink {...question('link')} />
      <RemovePerson {...question('remove')} />
    </>
  );
}

function EditPerson({ person, sellers, open, onClose }: AskProps & { sellers: readonly Seller[] }) {
  const [faults, setFaults] = useState<PersonFaults>({});
  const edit = useMutation({
    mutationFn: (body: PersonForm) =>
      dataOf(platform.PATCH('/users/{userId}', { params: { path: { userId: person.id } }, body })),
    onSuccess: async ({ name }) => {
      await queries.invalidateQueries(peopleQuery);
      say(m.team_was_saved({ name }));
      onClose();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const body = readPerson(new FormData(event.currentTarget));
    const found = faultsOf(body);
    setFaults(found);
    if (Object.keys(found).length === 0 && !edit.isPending) edit.mutate(body);
  };
  return (
    <Dialog
      open={open}
      onClose={onClose}
      onClosed={() => {
        edit.reset();
        setFaults({});
      }}
      title={m.team_edit_title({ name: person.name })}
      about={m.team_edit_text()}
    >
      <DialogForm
        onSubmit={submit}
        onClose={onClose}
        action={m.team_save()}
        busy={edit.isPending}
        bad={edit.error ? wordsOf(edit.error) : undefined}
      >
        <PersonFields person={person} sellers={sellers} faults={faults} error={edit.error} />
      </DialogForm>
    </Dialog>
  );
}

/** Also how a person gets back in who has lost the way in. */
function NewLink({ person, open, onClose }: AskProps) {
  const cancel = useRef<HTMLButtonElement>(null);
  const make = useMutation({
    mutationFn: () => dataOf(platform.POST('/users/{userId}/login-link', { params: { path: { userId: person.id } } })),
  });
  const made = make.data;
  return (
    <Dialog
      open={open}
      onClose={() => made || onClose()}
      onClosed={make.reset}
      title={made ? m.team_link_title({ name: person.name }) : m.team_new_link_title({ name: person.name })}
      about={made ? m.team_link_text() : m.team_new_link_text()}
      initialFocus={cancel}
    >
      {made ? (
        <LinkOnce link={made} onClose={onClose} />
      ) : (
        <>
          {make.error && (
            <DialogBody>
              <Bad>{wordsOf(make.error)}</Bad>
            </DialogBody>
          )}
          <DialogFoot>
            <Button ref={cancel} onClick={onClose}>
              {m.cancel()}
            </Button>
            <Button kind="main" busy={make.isPending} onClick={() => make.mutate()}>
              {m.team_make_link()}
            </Button>
          </DialogFoot>
        </>
      )}
    </Dialog>
  );
}

/** Also asks what becomes of the API keys and webhooks that they created. */
function RemovePerson({ person: { id, name }, open, onClose }: AskProps) {
  const [ends, setEnds] = useState<Ends>({ revoke_keys: true, pause_webhooks: true });
  const remove = async () => {
    await dataOf(platform.DELETE('/users/{userId}', { params: { path: { userId: id }, query: ends } }));
    await Promise.all([queries.invalidateQueries(peopleQuery), queries.invalidateQueries(keysQuery)]);
    say(m.team_was_removed({ name }));
  };
  return (
    <Confirm
      open={open}
      onClose={onClose}
      title={m.team_remove_title({ name })}
      about={m.team_remove_text()}
      action={m.team_remove()}
      act={remove}
    >
      {open && <Creations userId={id} ends={ends} onChange={setEnds} />}
    </Confirm>
  );
}
