import { type Api, post, send } from './api.ts';

/** Who writes in every way that a telephone has. */
export const kindsCustomer = { name: 'Lívia Campos', customer_phone: '5511988004199' } as const;

type Shown = { readonly id: string; readonly text: string };

/**
 * A conversation as people have it on their telephones: a location, a picture, a quote, a reaction, an edit, a deletion,
 * and answers from the telephone of the store. Returns the id of the lead.
 */
export async function writeKinds(api: Api, sandboxUrl: string): Promise<string> {
  const messages = `${sandboxUrl}/messages`;
  const write = (message: object) => post(messages, { ...kindsCustomer, ...message });
  const idOf = async (text: string): Promise<string> => {
    const { messages: shown } = await send<{ messages: Shown[] }>(
      'GET',
      `${messages}?customer_phone=${kindsCustomer.customer_phone}`,
    );
    return shown.find((message) => message.text === text)?.id ?? '';
  };
  const change = async (text: string, changed: object) =>
    post(`${sandboxUrl}/changes`, {
      customer_phone: kindsCustomer.customer_phone,
      message_id: await idOf(text),
      ...changed,
    });

  await write({ text: 'Boa tarde! Vocês conseguem um corte para hoje as 19h?' });
  await change('Boa tarde! Vocês conseguem um corte para hoje as 19h?', {
    text: 'Boa tarde! Vocês conseguem um corte para hoje às *18h*?',
  });
  const answer = 'Conseguimos, com a Juliana! É aqui:';
  await write({ from_store: true, text: answer });
  const place = { latitude: -23.5503, longitude: -46.6339, name: 'Salão Aurora', address: 'Rua das Acácias, 120' };
  await write({ from_store: true, type: 'location', content: place });
  await change(answer, { reaction: '❤️' });
  await write({ type: 'image', text: 'Queria assim', media: { mime_type: 'image/jpeg', size_bytes: 184_320 } });
  await write({ text: 'Chego de metrô', reply_to_id: await idOf(answer) });
  await write({ text: 'mensagem errada' });
  await change('mensagem errada', { deleted: true });
  await write({ type: 'audio', media: { mime_type: 'audio/ogg', voice: true, size_bytes: 42_000 } });

  const { data } = await api<{ data: { id: string }[] }>(
    'GET',
    `/leads?customer_phone=${kindsCustomer.customer_phone}`,
  );
  return data[0]?.id ?? '';
}
