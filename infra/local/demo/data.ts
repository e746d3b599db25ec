import {
  type createAgent,
  type createAppointment,
  type createLead,
  type createSeller,
  type createService,
  type createStore,
  type importDocument,
  leadStatuses,
  type putBookingRules,
  type RequestOf,
} from '../../../packages/contracts/src/index.ts';

type NewStore = RequestOf<typeof createStore>['body'];
type NewSeller = RequestOf<typeof createSeller>['body'];
type NewLead = RequestOf<typeof createLead>['body'];
type NewAgent = RequestOf<typeof createAgent>['body'];
type NewDocument = RequestOf<typeof importDocument>['body'];
type Rules = RequestOf<typeof putBookingRules>['body'];
type NewService = RequestOf<typeof createService>['body'];
type NewAppointment = RequestOf<typeof createAppointment>['body'];

/** A salon in São Paulo that uses every feature, and a small shop on the free tier. */
export const demoStores = {
  pro: { name: 'Salão Aurora', tier: 'pro', timezone: 'America/Sao_Paulo', locale: 'pt-BR' },
  free: { name: 'Brechó da Praça', tier: 'free', timezone: 'America/Sao_Paulo', locale: 'pt-BR' },
} as const satisfies Record<string, NewStore>;

/** The person whom `npm start` signs in to the console. */
export const demoOwner = { email: 'aurora@example.com', name: 'Aurora Martins', role: 'owner' } as const;

/** São Paulo has had no daylight saving time since 2019. */
const saoPauloOffset = '-03:00';
const saoPauloOffsetMs = -3 * 3_600_000;

/** Numbers of São Paulo's mobile plan in one block, so that they are easy to distinguish from real ones. */
const demoPhone = (block: number, index: number): string => `5511900${block}${String(index).padStart(5, '0')}`;

/** The same hours on some weekdays, from 1 (Monday) to 7. */
const hoursOn = (weekdays: readonly number[], from: string, to: string) =>
  weekdays.map((weekday) => ({ weekday, from, to }));

/** Customers can book the first and the third, each with hours of their own. */
export const demoSellers: readonly NewSeller[] = [
  {
    ...{ name: 'Camila Nogueira', whatsapp_id: demoPhone(9, 1) },
    ...{ bookable: true, hours: hoursOn([1, 2, 3, 4, 5, 6], '09:00', '19:00') },
  },
  { name: 'Rafael Moura', whatsapp_id: demoPhone(9, 2) },
  {
    ...{ name: 'Juliana Prado', whatsapp_id: demoPhone(9, 3) },
    ...{ bookable: true, hours: hoursOn([1, 2, 3, 4, 5, 6], '10:00', '18:00') },
  },
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

/** The item at `index`. The list repeats after its end. */
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

/** What customers can book, and which of `demoSellers` give it. */
export const demoServices: readonly { service: NewService; sellers: readonly number[] }[] = [
  { service: { name: 'Corte feminino', duration_minutes: 60, price_text: 'R$ 110' }, sellers: [0, 2] },
  {
    service: { name: 'Coloração', duration_minutes: 120, price_text: 'a partir de R$ 220', buffer_after_minutes: 15 },
    sellers: [0],
  },
  { service: { name: 'Manicure e pedicure', duration_minutes: 90, price_text: 'R$ 90' }, sellers: [2] },
];

/** `service` is the place in `demoServices`. */
const visits: readonly { title: string; minutes: number; notes: string | null; service?: number }[] = [
  { title: 'Corte feminino', minutes: 60, notes: null, service: 0 },
  { title: 'Coloração', minutes: 120, notes: 'Teste de alergia feito.\nTom 7.1', service: 1 },
  { title: 'Escova e hidratação', minutes: 75, notes: null },
  { title: 'Avaliação para luzes', minutes: 30, notes: 'Primeira visita' },
  { title: 'Corte masculino', minutes: 40, notes: null },
  { title: 'Manicure e pedicure', minutes: 90, notes: 'Prefere a Juliana', service: 2 },
];

type DemoIds = {
  readonly leads: readonly string[];
  /** Of `demoSellers` and `demoServices`. */
  readonly sellers: readonly string[];
  readonly services: readonly string[];
};

/** Twenty appointments over the two weeks after `now`, between 9 and 18 o'clock, never on a Sunday. */
export const demoAppointments = ({ leads, sellers, services }: DemoIds, now: Date): NewAppointment[] =>
  Array.from({ length: 20 }, (_, index) => {
    const visit = pick(visits, index);
    const sold = visit.service === undefined ? undefined : demoServices[visit.service];
    const day = new Date(now.getTime() + saoPauloOffsetMs);
    day.setUTCDate(day.getUTCDate() + 1 + Math.floor(index * 0.7));
    if (day.getUTCDay() === 0) day.setUTCDate(day.getUTCDate() + 1);
    const time = `${String(9 + ((index * 3) % 8)).padStart(2, '0')}:${index % 2 === 0 ? '00' : '30'}:00`;
    return {
      title: visit.title,
      scheduled_at: `${day.toISOString().slice(0, 10)}T${time}${saoPauloOffset}`,
      duration_minutes: visit.minutes,
      notes: visit.notes,
      lead_id: index % 4 === 3 ? null : pick(leads, index * 11),
      service_id: visit.service === undefined ? null : (services[visit.service] ?? null),
      seller_id: sold?.sellers[0] === undefined ? null : (sellers[sold.sellers[0]] ?? null),
    };
  });

/**
 * When the salon offers times. They refuse no appointment: who tries the API with this store finds what the specification
 * says of a store without rules.
 */
export const demoRules: Rules = {
  overlap: 'allow',
  outside_hours: 'allow',
  minimum_notice_minutes: 60,
  horizon_days: 60,
  hours: [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, from: '09:00', to: '18:00' })),
};

/** The salon's number on the sandbox. */
export const demoStorePhone = demoPhone(2, 1);

/**
 * A follow-up in three days to the lead at this index of `demoLeads`. The lead has no conversation, because a reply
 * would cancel the follow-up.
 */
export const demoFollowup = {
  lead: 20,
  message: 'Oi! Ainda pensando na coloração? Posso guardar um horário para esta semana.',
  delay_minutes: 3 * 24 * 60,
} as const;

/** Conversations with some of the salon's leads, by index in `demoLeads`. `+` is the customer, `-` the salon. */
export const demoConversations: readonly { lead: number; lines: readonly `${'+' | '-'}${string}`[] }[] = [
  {
    lead: 0,
    lines: [
      '+Oi! Vocês têm horário para corte amanhã?',
      '-Oi, Ana! Temos às 10h e às 15h30. Qual prefere?',
      '+15h30, por favor 🙏',
      '-Combinado, até amanhã!',
    ],
  },
  {
    lead: 1,
    lines: ['+Boa tarde, quanto custa a coloração?', '-Boa tarde! A partir de R$ 180. Quer agendar uma avaliação?'],
  },
  {
    lead: 4,
    lines: ['+Preciso remarcar meu horário de sexta', '-Claro! Sábado às 11h serve?', '+Serve sim, obrigada!'],
  },
  { lead: 7, lines: ['+Vocês atendem aos domingos?'] },
];
const statusIs = (value: (typeof leadStatuses)[number]) =>
  ({ condition_type: 'lead_status', operator: '=', value }) as const;

/** Agents of the salon: for new leads, for those in conversation, for customers and lost ones, and for all others. */
export const demoAgents: readonly NewAgent[] = [
  {
    name: 'Recepção',
    model: 'auto',
    priority: 10,
    audio_response_enabled: true,
    voice_id: 'pt-BR-aurora',
    condition_groups: [{ group_index: 0, conditions: [statusIs('pending')] }],
  },
  {
    name: 'Agendamento',
    model: 'gemini',
    priority: 20,
    voice_id: 'pt-BR-iara',
    condition_groups: [{ group_index: 0, conditions: [statusIs('in_progress')] }],
  },
  {
    name: 'Relacionamento',
    model: 'openai',
    priority: 30,
    voice_id: 'pt-BR-caetano',
    condition_groups: [
      { group_index: 0, conditions: [statusIs('converted')] },
      { group_index: 1, conditions: [statusIs('lost')] },
    ],
  },
  { name: 'Campanha de inverno', model: 'auto', priority: 5, is_active: false },
  { name: 'Atendimento geral', model: 'auto', priority: 90, is_default: true, voice_id: 'pt-BR-aurora' },
];

/** The salon's knowledge base. */
export const demoDocuments: readonly NewDocument[] = [
  {
    name: 'horarios.md',
    title: 'Horários e endereço',
    content: `# Horários e endereço

Abrimos todos os dias, das 9h às 18h. Aos domingos e feriados atendemos só com hora marcada.

Ficamos na Rua das Acácias, 120, a duas quadras da estação de metrô. Há estacionamento conveniado ao lado, com a primeira hora gratuita para clientes.`,
  },
  {
    name: 'servicos-e-precos.md',
    title: 'Serviços e preços',
    content: `# Serviços e preços

## Cabelo

Corte feminino: R$ 110, cerca de uma hora. Corte masculino: R$ 70, cerca de 40 minutos.

Coloração: a partir de R$ 220, conforme o comprimento. Colorações e luzes pedem um teste de alergia feito com 48 horas de antecedência; o teste é gratuito e leva dez minutos.

Escova e hidratação: R$ 130. A hidratação sozinha custa R$ 90.

## Unhas

Manicure: R$ 45. Pedicure: R$ 55. As duas juntas: R$ 90.`,
  },
  {
    name: 'politica-de-cancelamento.md',
    title: 'Cancelamentos e atrasos',
    content: `# Cancelamentos e atrasos

O horário pode ser remarcado ou cancelado sem custo até 24 horas antes. Com menos de 24 horas cobramos 30% do valor do serviço.

Esperamos até 15 minutos. Depois disso fazemos o possível para encaixar o atendimento no mesmo dia, mas pode ser preciso remarcar.`,
  },
  {
    name: 'pagamento.md',
    title: 'Formas de pagamento',
    content: `# Formas de pagamento

Aceitamos Pix, dinheiro e cartões de débito e de crédito. Acima de R$ 300 parcelamos em até três vezes sem juros.

Vale-presentes são vendidos no balcão e pelo site, e valem por um ano.`,
  },
].map((document) => ({ ...document, locale: demoStores.pro.locale }));
