import { readFileSync } from 'node:fs';

/** A question of a customer, and the title of the document that answers it. */
type Question = {
  readonly q: string;
  readonly answer: string;
  /** Absent: the language of the documents. */
  readonly language?: string;
};

/** The documents of one shop, and what its customers ask. */
export type GoldShop = {
  readonly locale: string;
  readonly documents: Readonly<Record<string, string>>;
  readonly questions: readonly Question[];
};

/** A shop in each language. Together 60 questions: 20 in each language, 16 of them about documents in another one. */
export const goldShops: readonly GoldShop[] = ['pt', 'es', 'en'].map(
  (name) => JSON.parse(readFileSync(`${import.meta.dirname}/${name}.json`, 'utf8')) as GoldShop,
);

/** The least number of questions that each ranking must answer. Raise it when a change finds more. */
export const floor = JSON.parse(readFileSync(`${import.meta.dirname}/floor.json`, 'utf8')) as {
  readonly full_text: Recall;
};

/** How many questions have their document among the first five passages: in the documents' language, and across. */
export type Recall = { readonly same_language: number; readonly across: number };

/** Asks each question. `search` returns the titles of the documents of the passages, best first. */
export async function measureRecall(
  search: (shop: GoldShop, q: string, limit: number) => Promise<readonly string[]>,
): Promise<Recall & { readonly missed: readonly string[] }> {
  const missed: string[] = [];
  const found = { same_language: 0, across: 0 };
  for (const shop of goldShops) {
    for (const { q, answer, language } of shop.questions) {
      if ((await search(shop, q, 5)).includes(answer)) found[language ? 'across' : 'same_language'] += 1;
      else missed.push(`${q} → ${answer}`);
    }
  }
  return { ...found, missed };
}
