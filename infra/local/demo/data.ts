import {
  type createAppointment,
  type createLead,
  type createSeller,
  type createStore,
  leadStatuses,
  type RequestOf,
} from '../../../packages/contracts/src/index.ts';

type NewStore = RequestOf<typeof createStore>['body'];
type NewSeller = RequestOf<typeof createSeller>['body'];
type NewLead = RequestOf<typeof createLead>['body'];
type NewAppointment = RequestOf<typeof createAppointment>['body'];

/** A salon in São Paulo that has everything, and a small shop on the free tier. */
export const demoStores = {
  pro: { name: 'Salão Aurora', tier: 'pro', timezone: 'America/Sao_Paulo', locale: 'pt-BR' },
  free: { name: 'Brechó da Praça', tier: 'free', timezone: 'America/Sao_Paulo', locale: 'pt-BR' },
} as const satisfies Record<string, NewStore>;

/** São Paulo has had no daylight saving time since 2019. */
const saoPauloOffset = '-03:00';
const saoPauloOffsetMs = -3 * 3_600_000;

/** Numbers of São Paulo's mobile plan in one block, so that they are easy to tell from real ones. */
const demoPhone = (block: number, index: number): string => `5511900${block}${String(index).padStart(5, '0')}`;

export const demoSellers: readonly NewSeller[] = [
  { name: 'Camila Nogueira', whatsapp_id: demoPhone(9, 1) },
  { name: 'Rafael Moura', whatsapp_id: demoPhone(9, 2) },
  { name: 'Juliana Prado', whatsapp_id: demoPhone(9, 3) },
  { name: 'Otávio Sales', whatsapp_id: demoPhone(9, 4), is_active: false },
];

const givenNames = [
  ...[
    'Ana',
    'Beatriz',
    'Bruno',
    'Caio',
    'Carolina',
    'Diego',
    'Eduarda',
    'Fábio',
    'Fernanda',
    'Gabriel',
    'Helena',
    'Igor',
  ],
  ...[
    'Isabela',
    'João',
    'Larissa',
    'Lucas',
    'Mariana',
    'Mateus',
    'Nathália',
    'Paulo',
    'Priscila',
    'Renan',
    'Sônia',
    'Tiago',
  ],
];
const familyNames = [
  ...['Almeida', 'Araújo', 'Barbosa', 'Cardoso', 'Carvalho', 'Conceição', 'Costa', 'Dias', 'Fernandes', 'Ferreira'],
  ...['Gonçalves', 'Lima', 'Machado', 'Melo', 'Oliveira', 'Pereira', 'Ribeiro', 'Santos', 'Teixeira'],
];

/** The one at `index`, going round. */
const pick = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;

const person = (index: number): string =>
  `${pick(givenNames, index)} ${pick(familyNames, index * 3)} ${pick(familyNames, index * 5 + 7)}`;

/** Leads of the salon; two of three have one of these sellers. */
export const demoLeads = (activeSellerIds: readonly string[]): NewLead[] =>
  Array.from({ length: 220 }, (_, index) => ({
    name: person(index),
    customer_phone: demoPhone(0, index + 1),
    status: pick(leadStatuses, index + Math.floor(index / 7)),
    seller_id: index % 3 === 2 ? null : pick(activeSellerIds, index),
  }));

/** Leads of the small shop. */
export const demoFreeLeads = (): NewLead[] =>
  Array.from({ length: 3 }, (_, index) => ({ name: person(index + 500), customer_phone: demoPhone(1, index + 1) }));

const services: readonly { title: string; minutes: number; notes: string | null }[] = [
  { title: 'Corte feminino', minutes: 60, notes: null },
  { title: 'Coloração', minutes: 120, notes: 'Teste de alergia feito.\nTom 7.1' },
  { title: 'Escova e hidratação', minutes: 75, notes: null },
  { title: 'Avaliação para luzes', minutes: 30, notes: 'Primeira visita' },
  { title: 'Corte masculino', minutes: 40, notes: null },
  { title: 'Manicure e pedicure', minutes: 90, notes: 'Prefere a Juliana' },
];

/** Twenty appointments over the four weeks after `now`, between 9 and 18 o'clock, never on a Sunday. */
export const demoAppointments = (leadIds: readonly string[], now: Date): NewAppointment[] =>
  Array.from({ length: 20 }, (_, index) => {
    const service = pick(services, index);
    const day = new Date(now.getTime() + saoPauloOffsetMs);
    day.setUTCDate(day.getUTCDate() + 1 + Math.floor(index * 1.4));
    if (day.getUTCDay() === 0) day.setUTCDate(day.getUTCDate() + 1);
    const time = `${String(9 + ((index * 3) % 8)).padStart(2, '0')}:${index % 2 === 0 ? '00' : '30'}:00`;
    return {
      title: service.title,
      scheduled_at: `${day.toISOString().slice(0, 10)}T${time}${saoPauloOffset}`,
      duration_minutes: service.minutes,
      notes: service.notes,
      lead_id: index % 4 === 3 ? null : pick(leadIds, index * 11),
    };
  });
