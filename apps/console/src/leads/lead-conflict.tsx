import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { wordsOf } from '../api/failure.ts';
import type { Lead, Versioned } from '../api/platform.ts';
import { sellersQuery } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { DialogForm } from '../ui/form.tsx';
import styles from './lead.module.css';
import type { Change, Draft, Member } from './lead-draft.ts';
import { phoneOf, wordsOfStatus } from './words.ts';

const labels: Readonly<Record<Member, () => string>> = {
  name: m.leads_name,
  customer_phone: m.leads_phone,
  status: m.leads_status,
  seller_id: m.leads_seller,
  email: m.leads_email,
  external_id: m.leads_external_id,
  tags: m.leads_tags,
};

type LeadConflictProps = {
  readonly theirs: Versioned<Lead>;
  readonly mine: Change;
  readonly members: readonly Member[];
  readonly busy: boolean;
  readonly error: unknown;
  readonly onCancel: () => void;
  readonly onSave: (takeTheirs: ReadonlySet<Member>) => void;
};

/** Shows what two people have changed differently, and asks for each which one stays. */
export function LeadConflict({ theirs, mine, members, busy, error, onCancel, onSave }: LeadConflictProps) {
  const [taken, setTaken] = useState<ReadonlySet<Member>>(new Set());
  const textOf = useTextOf(theirs.data);
  const choose = (member: Member, theirsStays: boolean) => {
    const next = new Set(taken);
    if (theirsStays) next.add(member);
    else next.delete(member);
    setTaken(next);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!busy) onSave(taken);
  };
  return (
    <DialogForm
      onSubmit={submit}
      onClose={onCancel}
      action={m.leads_save()}
      busy={busy}
      bad={error != null ? wordsOf(error) : undefined}
      cancel={m.leads_conflict_leave()}
      isChanged
    >
      {members.map((member) => (
        <fieldset key={member} className={styles.conflict}>
          <legend>{labels[member]()}</legend>
          <Choice
            name={member}
            label={m.leads_conflict_mine()}
            checked={!taken.has(member)}
            onChoose={() => choose(member, false)}
          >
            {textOf({ ...theirs.data, ...mine }, member)}
          </Choice>
          <Choice
            name={member}
            label={m.leads_conflict_theirs()}
            checked={taken.has(member)}
            onChoose={() => choose(member, true)}
          >
            {textOf(theirs.data, member)}
          </Choice>
        </fieldset>
      ))}
    </DialogForm>
  );
}

type ChoiceProps = {
  readonly name: string;
  readonly label: string;
  readonly checked: boolean;
  readonly onChoose: () => void;
  readonly children: ReactNode;
};

const Choice = ({ name, label, checked, onChoose, children }: ChoiceProps) => (
  <label className={styles.choice}>
    <input type="radio" name={name} checked={checked} onChange={onChoose} />
    <span>
      <span className={styles.soft}>{label}</span>
      <span className={styles.value}>
        <bdi>{children}</bdi>
      </span>
    </span>
  </label>
);

/** What a member says, in words. */
function useTextOf(theirs: Draft) {
  const { data: sellers = [] } = useQuery(sellersQuery);
  return (draft: Draft, member: Member): string => {
    if (member === 'status') return wordsOfStatus(draft.status);
    if (member === 'customer_phone') {
      return (draft === theirs ? phoneOf(draft) : draft.customer_phone) || m.leads_nothing();
    }
    if (member === 'tags') return draft.tags.join(', ') || m.leads_nothing();
    if (member !== 'seller_id') return draft[member] || m.leads_nothing();
    if (draft.seller_id === null) return m.leads_no_seller();
    return sellers.find(({ id }) => id === draft.seller_id)?.name ?? m.leads_other_seller();
  };
}
