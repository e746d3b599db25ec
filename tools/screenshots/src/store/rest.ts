import { setTimeout as pause } from 'node:timers/promises';
import { type Api, type Demo, type Seller, send } from './api.ts';

type Lead = { readonly id: string };
type Filled = {
  /** The lead of the main conversation. */
  readonly main: string;
  readonly sellers: readonly Seller[];
  /** Leads who have not written. */
  readonly leads: readonly Lead[];
  readonly now: Date;
};

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const thursday = 4;

/** Everything but conversations. */
export async function fillRest(demo: Demo, filled: Filled): Promise<void> {
  await addPeople(demo, filled);
  await addKeys(demo);
  await addWebhooks(demo, filled);
  await addAppointments(demo, filled);
  await addFollowups(demo, filled);
}

const appointments = [
  ['Corte feminino', 60],
  ['Coloração', 120],
  ['Barba', 30],
  ['Escova e hidratação', 75],
  ['Manicure e pedicure', 90],
  ['Corte masculino', 40],
] as const;

/** Those of this week and of the week before, beside those that the demo has. */
async function addAppointments({ api }: Demo, { main, leads, now }: Filled): Promise<void> {
  const at = (days: number, hour: number, minute = 0) => {
    const date = new Date(now.getTime() + days * dayMs).toISOString().slice(0, 10);
    return `${date}T${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}:00-03:00`;
  };
  const weekday = now.getUTCDay();
  for (let day = -weekday - 5; day <= 6 - weekday; day += 1) {
    const dayOfWeek = (((weekday + day) % 7) + 7) % 7;
    if (dayOfWeek === 0) continue;
    // The afternoon of the Thursday is for the main conversation.
    for (let index = 0; index < (dayOfWeek === thursday ? 1 : 2 + (dayOfWeek % 2)); index += 1) {
      const [title, duration_minutes] = appointments[(dayOfWeek * 2 + index) % appointments.length] ?? ['', 0];
      const lead_id = leads[(day + 20) * 3 + index]?.id ?? null;
      const scheduled_at = at(day, 9 + index * 3 + (dayOfWeek % 3), (dayOfWeek % 2) * 30);
      const { id } = await api('POST', '/appointments', { title, duration_minutes, scheduled_at, lead_id });
      if (Date.parse(scheduled_at) > now.getTime()) continue;
      const status = (dayOfWeek + index) % 7 === 2 ? 'no_show' : 'done';
      await api('PATCH', `/appointments/${id}`, { status });
    }
  }
  const test = { title: 'Teste de penteado', duration_minutes: 60, notes: 'Traz fotos.\nVestido sem alças.' };
  await api('POST', '/appointments', {
    ...test,
    scheduled_at: at(((thursday - weekday + 6) % 7) + 1, 14),
    lead_id: main,
  });
}

const followups: readonly (readonly [hours: number, message: string])[] = [
  [3, 'Oi! Conseguiu ver os horários que mandei? Posso guardar um até as 18h.'],
  [20, 'Bom dia! Seu vale-presente ainda vale por 30 dias. Quer marcar?'],
  [26, 'Oi! Já faz seis semanas da sua coloração. Que tal um retoque esta semana?'],
  [31, 'Como ficou o corte? Se precisar de um ajuste, é por nossa conta até sábado.'],
  [50, 'Temos um encaixe na sexta às 10h para escova e hidratação. Posso reservar?'],
  [74, 'Oi! Ainda pensando nas luzes? A avaliação é gratuita.'],
  [98, 'Feliz aniversário! Este mês a hidratação é presente nosso.'],
  [170, 'Sentimos sua falta! Na volta, o corte tem 15% de desconto.'],
];

async function addFollowups({ api }: Demo, { main, leads, now }: Filled): Promise<void> {
  const due = (hours: number) => new Date(now.getTime() + hours * hourMs).toISOString();
  for (const [index, [hours, message]] of followups.entries()) {
    const body = { lead_id: leads[index * 2]?.id, message, due_at: due(hours), cancel_on_appointment: index % 3 === 0 };
    await api('POST', '/followups/scheduled', body);
  }
  const thanks = 'Helena, como foi o teste? Manda uma foto para a gente!';
  await api('POST', '/followups/scheduled', {
    lead_id: main,
    message: thanks,
    due_at: due(100),
    cancel_on_reply: false,
  });
}

async function addPeople({ platform, store }: Demo, { sellers }: Filled): Promise<void> {
  const people = [
    ['Rafael Moura', 'rafael', 'manager'],
    ['Camila Nogueira', 'camila', 'seller'],
    ['Juliana Prado', 'juliana', 'seller'],
  ] as const;
  for (const [name, email, role] of people) {
    const seller = sellers.find((each) => each.name === name)?.id;
    // The words of the command are told by their spaces.
    const { login_url } = await platform.admin<{ login_url: string }>(
      `user invite --store ${store.id} --email ${email}@aurora.example --role ${role} --seller ${seller} --name ${name.replace(' ', '\u00a0')}`,
    );
    const { hash, origin } = new URL(login_url);
    await send('POST', `${origin}/platform/v1/session`, { token: hash.slice(1) }, { 'sec-fetch-site': 'same-origin' });
  }
}

async function addKeys({ platform, store }: Demo): Promise<void> {
  const keys = [
    ['Site', 'leads:write,appointments:read,appointments:write', 'never'],
    ['Planilha', 'reports:read,leads:read,appointments:read', new Date(Date.now() + 90 * dayMs).toISOString()],
    ['Totem', 'appointments:read,store:read', new Date(Date.now() + 365 * dayMs).toISOString()],
  ];
  for (const [name, scopes, expires] of keys)
    await platform.admin(`key create --store ${store.id} --name ${name} --scopes ${scopes} --expires ${expires}`);
}

/** One endpoint that accepts what it gets, one that is paused, and one that refuses everything. */
async function addWebhooks({ api, receiver }: Demo, { leads }: Filled): Promise<void> {
  const add = (path: string, description: string, event_types?: string[]) =>
    api<{ id: string; secret: string }>('POST', '/webhooks/endpoints', {
      ...{ url: new URL(path, receiver.url).href, description },
      ...(event_types && { event_types }),
    });
  const tag = async (from: number, to: number) => {
    for (const { id } of leads.slice(from, to)) await api('PATCH', `/leads/${id}`, { tags: ['newsletter'] });
  };
  const { secret } = await add('/site', 'Agenda do site');
  receiver.trust(secret);
  const { id: paused } = await add('/planilha', 'Planilha de clientes', ['lead.created', 'lead.updated']);
  await api('PATCH', `/webhooks/endpoints/${paused}`, { status: 'paused' });
  await tag(20, 29);
  // Its signature is none that the receiver trusts.
  await add('/erp', 'Estoque e caixa', ['lead.updated']);
  await tag(29, 31);
}

type Endpoint = {
  readonly status: string;
  readonly health: { readonly pending: number; readonly failing_since: string | null };
};

/** Waits until everything has been tried: what is accepted is delivered. */
export async function untilDelivered(api: Api): Promise<void> {
  for (;;) {
    const { data } = await api<{ data: Endpoint[] }>('GET', '/webhooks/endpoints');
    if (data.every(({ status, health }) => status === 'paused' || health.pending === 0 || health.failing_since)) return;
    await pause(200);
  }
}
