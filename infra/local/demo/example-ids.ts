import { demoConversations, demoLeads } from './data.ts';

type Row = { readonly id?: string };

/**
 * Ids of the demo store for the examples of the API document, by the names that the gateway's examples have. What the
 * store no longer has is missing.
 */
export async function readExampleIds(baseUrl: string, apiKey: string): Promise<Record<string, string | undefined>> {
  const read = async (path: string): Promise<Row> => {
    const response = await fetch(`${baseUrl}${path}`, { headers: { 'x-api-key': apiKey } });
    const answer = (await response.json()) as Row & { data?: Row[] } & Row[];
    return answer.data?.[0] ?? answer[0] ?? answer;
  };
  const inConversation = demoLeads([])[demoConversations[0]?.lead ?? 0];
  const { id: lead } = await read(`/leads?customer_phone=${inConversation?.customer_phone}`);
  const [store, seller, appointment, followup, agent, document, session, message, event] = await Promise.all(
    [
      '/store',
      '/sellers?limit=1',
      '/appointments?limit=1',
      '/followups/scheduled?limit=1',
      '/agents?limit=1',
      '/knowledge/documents?limit=1',
      `/leads/${lead}/sessions`,
      `/leads/${lead}/messages?limit=1`,
      '/events?limit=1',
    ].map(async (path) => (await read(path)).id),
  );
  return { store, lead, seller, appointment, followup, agent, document, session, message, event };
}
