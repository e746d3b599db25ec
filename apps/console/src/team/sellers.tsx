import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { Plus, UserRound } from 'lucide-react';
import { useState } from 'react';
import type { Seller } from '../api/platform.ts';
import { sellersQuery } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { type Column, rowName, Table } from '../ui/table.tsx';
import { SellerActions } from './seller-actions.tsx';
import { CreateSeller } from './seller-form.tsx';
import { TeamPage } from './team-page.tsx';

export const route = createLazyRoute('/shell/team/sellers')({ component: Sellers });

const columns: readonly Column<Seller>[] = [
  {
    key: 'name',
    label: m.team_name(),
    wide: true,
    cell: ({ name }) => <span className={rowName}>{name}</span>,
  },
  { key: 'phone', label: m.team_whatsapp(), cell: ({ whatsapp_id }) => `+${whatsapp_id}` },
  {
    key: 'state',
    label: m.team_state(),
    cell: ({ is_active }) => (
      <Badge kind={is_active ? 'good' : undefined}>{is_active ? m.team_active() : m.team_inactive()}</Badge>
    ),
  },
];

function Sellers() {
  const { data: sellers, error, refetch } = useQuery(sellersQuery);
  const [creating, setCreating] = useState(false);
  const create = (
    <Button kind="main" onClick={() => setCreating(true)}>
      <Plus size={14} aria-hidden />
      {m.team_create_seller()}
    </Button>
  );
  return (
    <TeamPage about={m.team_sellers_about()} actions={sellers && sellers.length > 0 && create}>
      {error && !sellers ? (
        <LoadFailed error={error} retry={refetch} />
      ) : (
        <Table
          label={m.team_sellers()}
          columns={columns}
          rows={sellers}
          keyOf={({ id }) => id}
          actions={(seller) => <SellerActions seller={seller} />}
          empty={
            <Empty icon={UserRound} title={m.team_no_sellers_title()} text={m.team_no_sellers_text()}>
              {create}
            </Empty>
          }
        />
      )}
      <CreateSeller open={creating} onClose={() => setCreating(false)} />
    </TeamPage>
  );
}
