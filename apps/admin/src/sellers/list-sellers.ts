import { listSellers } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, allPages, existingStore, printResult, verb } from '../admin.ts';
import { shown, table } from '../terminal.ts';
import { bookedText } from './seller-text.ts';

export const listSellersCommand = (admin: Admin): Command =>
  verb('list', "List a store's sellers, and when customers can book them, oldest first", [
    'seller list --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60',
  ])
    .option('--store <id>', 'the store (required)')
    .action(async (options: { store?: string; json?: boolean }) => {
      const { id: storeId } = await existingStore(admin, options.store);
      const sellers = await allPages((page) => admin.platform.call(listSellers, { query: page }, storeId));
      printResult(admin, options, { sellers }, () =>
        table(
          ['ID', 'ACTIVE', 'CAN BE BOOKED', 'NAME'],
          sellers.map((seller) => [seller.id, seller.is_active ? 'yes' : 'no', bookedText(seller), shown(seller.name)]),
        ),
      );
    });
