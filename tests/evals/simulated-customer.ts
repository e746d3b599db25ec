import type { Simulation } from './conversation.ts';
import { atDays } from './customer.ts';
import { type CustomerConnection, CustomerFailed, nextLine } from './customer-model.ts';
import type { Part } from './play.ts';

export type SimulatedBy = {
  readonly connection: CustomerConnection;
  /** The most messages that a customer writes. */
  readonly mostLines: number;
};

/** A customer whom a model plays. `seed`: another one makes another customer. */
export const simulated =
  ({ language, persona, goal, knows = [] }: Simulation, { connection, mostLines }: SimulatedBy, seed: number): Part =>
  async (customer, store) => {
    const role = { language, persona, goal: atDays(goal, store), knows: knows.map((fact) => atDays(fact, store)) };
    for (let lines = 0; !customer.isHandedOver(); lines += 1) {
      const line = lines < mostLines ? await nextLine(connection, role, customer.said, seed) : undefined;
      if (line === undefined) {
        if (lines === 0) throw new CustomerFailed('the model of the customer ended before its first message');
        return void customer.said.push({
          from: 'event',
          text:
            lines < mostLines ? 'the customer has ended' : `the customer has written ${mostLines} messages, the most`,
        });
      }
      await customer.next(line);
    }
  };
