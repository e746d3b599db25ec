import { useMutation } from '@tanstack/react-query';
import { Ellipsis, Pencil, Trash2, UserCheck, UserX } from 'lucide-react';
import { useState } from 'react';
import { dataOf, platform, type Seller } from '../api/platform.ts';
import { queries, sellersQuery } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { Menu, MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { say, sayFailure, sayWithUndo } from '../ui/toasts.tsx';
import { EditSeller, sellersChanged } from './seller-form.tsx';

type Question = 'edit' | 'delete';

/** What can be done with a seller. */
export function SellerActions({ seller }: { seller: Seller }) {
  const { id, name, is_active } = seller;
  const [asks, setAsks] = useState<Question>();
  const activate = useActivate(seller);
  const question = (which: Question) => ({ open: asks === which, onClose: () => setAsks(undefined) });
  const remove = async () => {
    await dataOf(platform.DELETE('/sellers/{sellerId}', { params: { path: { sellerId: id } } }));
    await sellersChanged();
    say(m.team_seller_was_deleted({ name }));
  };
  return (
    <>
      <Menu
        trigger={
          <Button kind="bare" aria-label={m.team_actions({ name })}>
            <Ellipsis size={16} aria-hidden />
          </Button>
        }
      >
        <MenuItem icon={<Pencil size={14} />} onClick={() => setAsks('edit')}>
          {m.team_edit()}
        </MenuItem>
        <MenuItem
          icon={is_active ? <UserX size={14} /> : <UserCheck size={14} />}
          onClick={() => activate.mutate(!is_active)}
        >
          {is_active ? m.team_deactivate() : m.team_activate()}
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon={<Trash2 size={14} />} danger onClick={() => setAsks('delete')}>
          {m.team_delete()}
        </MenuItem>
      </Menu>
      <EditSeller seller={seller} {...question('edit')} />
      <Confirm
        {...question('delete')}
        title={m.team_delete_seller_title({ name })}
        about={m.team_delete_seller_text()}
        action={m.team_delete()}
        act={remove}
      />
    </>
  );
}

const change = (sellerId: string, is_active: boolean) =>
  dataOf(platform.PATCH('/sellers/{sellerId}', { params: { path: { sellerId } }, body: { is_active } }));

/** It shows at once, and can be taken back. */
function useActivate({ id, name }: Seller) {
  const show = (is_active: boolean) =>
    queries.setQueryData(sellersQuery.queryKey, (sellers) =>
      sellers?.map((seller) => (seller.id === id ? { ...seller, is_active } : seller)),
    );
  return useMutation({
    mutationFn: (is_active: boolean) => change(id, is_active),
    onMutate: show,
    onSuccess: (_, is_active) =>
      sayWithUndo(is_active ? m.team_was_activated({ name }) : m.team_was_deactivated({ name }), () => {
        show(!is_active);
        void change(id, !is_active).catch(sayFailure).finally(sellersChanged);
      }),
    onError: (error, is_active) => {
      show(!is_active);
      sayFailure(error);
    },
    onSettled: sellersChanged,
  });
}
