import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { importDocument, searchKnowledge } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import type { TestCrm } from '../crm.ts';

/** A question of a customer, and the title of the document that answers it. */
type Question = {
  readonly q: string;
  readonly answer: string;
  /** Absent: the language of the documents. */
  readonly language?: string;
};

/** The documents of one shop, and what its customers ask. */
type GoldShop = {
  readonly locale: string;
  readonly documents: Readonly<Record<string, string>>;
  readonly questions: readonly Question[];
};

/** How many questions have their document among the first five passages: in the documents' language, and across. */
type Recall = { readonly same_language: number; readonly across: number };

const read = <T>(name: string) => JSON.parse(readFileSync(`${import.meta.dirname}/${name}.json`, 'utf8')) as T;

/** A shop in each language. Together 60 questions: 20 in each language, 16 of them about documents in another one. */
const shops = ['pt', 'es', 'en'].map((name) => read<GoldShop>(name));

/** The least number of questions that each ranking must answer. Raise it when a change finds more. */
export const recallFloor = read<Readonly<Record<'full_text' | 'vectors', Recall>>>('floor');

/** Imports the documents of the shops, each into a store of its own. */
export async function openGoldShops(crm: TestCrm) {
  const stores = new Map(shops.map((shop) => [shop, randomUUID()]));
  for (const [{ locale, documents }, storeId] of stores) {
    for (const [title, content] of Object.entries(documents)) {
      await crm.rpc.call(importDocument, { body: { title, content, locale } }, testContext({ storeId }));
    }
  }
  return {
    storeIds: [...stores.values()],
    /** Asks each question, and lists those without their answer. */
    async measureRecall(): Promise<Recall & { readonly missed: readonly string[] }> {
      const missed: string[] = [];
      const found = { same_language: 0, across: 0 };
      for (const [{ questions }, storeId] of stores) {
        for (const { q, answer, language } of questions) {
          const ask = () => crm.rpc.call(searchKnowledge, { query: { q, limit: 5 } }, testContext({ storeId }));
          let answered = await ask();
          // A machine full of tests may not embed a question in time.
          while (answered.vectors === 'unavailable') answered = await ask();
          if (!answered.data.some(({ document }) => document.title === answer)) missed.push(`${q} → ${answer}`);
          else found[language ? 'across' : 'same_language'] += 1;
        }
      }
      return { ...found, missed };
    },
  };
}
