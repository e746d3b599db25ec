/** Who wrote: the customer, or one of those who write for the store. */
type Source = 'lead' | 'ai' | 'seller' | 'api' | 'followup';

/** The minutes count from the line before. */
export type Line = readonly [source: Source, minutes: number, text: string];

export type Conversation = {
  readonly name: string;
  /** How long ago its last line was written. */
  readonly minutesAgo: number;
  readonly lines: readonly Line[];
  /** How many of the last lines the store has not read. */
  readonly unread?: number;
  readonly status?: 'in_progress' | 'converted' | 'lost';
  readonly seller?: string;
  readonly tags?: readonly string[];
  readonly email?: string;
  readonly isPaused?: true;
};

const day = 24 * 60;

/** The conversation whose thread has a picture: it has every source. */
export const mainConversation: Conversation = {
  name: 'Helena Duarte',
  minutesAgo: 4,
  status: 'in_progress',
  seller: 'Camila Nogueira',
  tags: ['noiva', 'indicação'],
  email: 'helena.duarte@example.com',
  lines: [
    ['lead', 0, 'Oi! Vi o salão no Instagram. Vocês fazem penteado para noiva?'],
    ['ai', 1, 'Oi, Helena! Fazemos, sim. O pacote tem teste, penteado e maquiagem. Quando é o casamento?'],
    ['lead', 6, 'Dia 19 de dezembro, um sábado. Seria de manhã'],
    ['ai', 1, 'Que alegria! O dia 19 ainda tem a manhã livre. Vou chamar a Camila, que cuida das noivas.'],
    ['seller', 14, 'Oi, Helena, aqui é a Camila! Podemos marcar o teste ainda esta semana. Quinta às 14h serve?'],
    ['lead', 9, 'Serve! Levo umas fotos do que gosto'],
    ['api', 2, 'Teste de penteado confirmado: quinta-feira, 14h, Rua das Acácias, 120. Responda REMARCAR para mudar.'],
    ['followup', 3 * day - 60, 'Oi, Helena! Tudo certo para o seu teste de amanhã às 14h?'],
    ['lead', 21, 'Tudo certo!'],
    ['lead', 1, 'Posso levar minha mãe para fazer as unhas no mesmo horário?'],
    ['seller', 5, 'Claro! Reservei a Juliana para ela, também às 14h.'],
    ['lead', 2, 'Vocês são demais. Obrigada!'],
    ['api', 1, 'Novo agendamento: Manicure e pedicure, quinta-feira, 14h, com Juliana.'],
  ],
};

/** The rest of the inbox, the newest first. */
export const conversations: readonly Conversation[] = [
  {
    name: 'Bruno Azevedo',
    minutesAgo: 1,
    unread: 2,
    lines: [
      ['lead', 0, 'Boa tarde! Vocês atendem hoje sem hora marcada?'],
      ['lead', 1, 'É só um corte masculino'],
    ],
  },
  mainConversation,
  {
    name: 'Marina Costa e Silva',
    minutesAgo: 11,
    unread: 1,
    status: 'converted',
    seller: 'Juliana Prado',
    tags: ['vip'],
    lines: [
      ['api', 0, 'Seu horário de amanhã: Coloração às 10h, com Juliana.'],
      ['lead', 32, 'Confirmado! Dá para incluir a hidratação?'],
    ],
  },
  {
    name: 'Caio Ferraz',
    minutesAgo: 18,
    isPaused: true,
    status: 'in_progress',
    seller: 'Rafael Moura',
    lines: [
      ['lead', 0, 'A cor ficou diferente do que combinamos'],
      ['seller', 4, 'Oi, Caio! Sinto muito. Pode passar aqui amanhã? Corrigimos sem custo.'],
      ['lead', 7, 'Posso às 17h'],
      ['seller', 2, 'Marcado, às 17h comigo. Obrigado pela paciência!'],
    ],
  },
  {
    name: 'Sofia Rezende',
    minutesAgo: 27,
    lines: [
      ['lead', 0, 'Quanto custa a progressiva?'],
      ['ai', 1, 'Oi, Sofia! A progressiva custa a partir de R$ 280, conforme o comprimento. Quer ver os horários?'],
    ],
  },
  {
    name: 'Otto Hoffmann',
    minutesAgo: 46,
    status: 'in_progress',
    seller: 'Camila Nogueira',
    tags: ['corte'],
    lines: [
      ['lead', 0, 'Olá, vocês falam inglês? My Portuguese is not so good'],
      ['seller', 3, 'Yes, we do! How can I help you?'],
      ['lead', 2, 'Great! A haircut on Friday afternoon, please'],
      ['seller', 3, 'Friday at 3:30 pm is free. See you then!'],
    ],
  },
  {
    name: 'Priscila Monteiro',
    minutesAgo: 64,
    unread: 1,
    status: 'converted',
    seller: 'Juliana Prado',
    lines: [
      ['followup', 0, 'Oi, Priscila! Já faz seis semanas da sua coloração. Quer marcar o retoque?'],
      ['lead', 48, 'Quero sim! Que dias têm à noite?'],
    ],
  },
  {
    name: 'Gustavo Lemos',
    minutesAgo: 95,
    status: 'converted',
    seller: 'Rafael Moura',
    lines: [
      ['lead', 0, 'Consegue um encaixe para barba amanhã cedo?'],
      ['ai', 1, 'Bom dia, Gustavo! Amanhã há 9h e 9h40. Qual prefere?'],
      ['lead', 3, '9h'],
      ['api', 1, 'Agendado: Barba, amanhã às 9h, com Rafael.'],
    ],
  },
  {
    name: 'Larissa Pinheiro',
    minutesAgo: 140,
    status: 'lost',
    lines: [
      ['lead', 0, 'Vocês fazem alongamento de cílios?'],
      ['ai', 1, 'Oi, Larissa! Ainda não fazemos cílios, só sobrancelhas. Quer conhecer?'],
      ['lead', 12, 'Ah, que pena. Obrigada!'],
      ['seller', 4, 'Quando tivermos, avisamos você.'],
    ],
  },
  {
    name: 'Dona Sônia',
    minutesAgo: 205,
    status: 'converted',
    seller: 'Camila Nogueira',
    tags: ['vip', 'sábado'],
    lines: [
      ['lead', 0, 'Filha, meu horário de sempre no sábado está guardado?'],
      ['seller', 6, 'Está guardado, dona Sônia! Sábado às 9h, escova e café.'],
    ],
  },
  {
    name: 'Renato Queiroz',
    minutesAgo: 310,
    lines: [
      ['lead', 0, 'Bom dia, tem vale-presente?'],
      ['ai', 1, 'Bom dia, Renato! Temos, de qualquer valor, no balcão ou pelo site. Vale por um ano.'],
    ],
  },
  {
    name: 'Yasmin Haddad',
    minutesAgo: day + 40,
    status: 'in_progress',
    seller: 'Juliana Prado',
    lines: [
      ['lead', 0, 'Preciso remarcar a avaliação das luzes'],
      ['seller', 9, 'Sem problema! Terça ou quarta, às 18h?'],
      ['lead', 22, 'Quarta, perfeito'],
      ['api', 1, 'Remarcado: Avaliação para luzes, quarta-feira, 18h.'],
    ],
  },
  {
    name: 'Fábio Nakamura',
    minutesAgo: day + 200,
    status: 'converted',
    seller: 'Rafael Moura',
    lines: [
      ['lead', 0, 'Chego dez minutos atrasado, tudo bem?'],
      ['seller', 2, 'Tudo bem, Fábio, até já!'],
    ],
  },
];

/** Numbers of the sandbox that provoke an outcome, and the message that has it. */
export const troubled = [
  { name: 'Rosa Teixeira', customer_phone: '12015550105', message: 'Seu horário de amanhã está confirmado: 11h.' },
  { name: 'Ivo Batista', customer_phone: '12015550121', message: 'Oi, Ivo! Sua avaliação ficou para sexta, às 16h.' },
] as const;

/** Short conversations of the past month, which repeat. */
export const usualLines: readonly (readonly Line[])[] = [
  [
    ['lead', 0, 'Oi, tem horário para corte esta semana?'],
    ['ai', 1, 'Oi! Temos quinta às 10h e sexta às 15h30. Qual prefere?'],
    ['lead', 4, 'Sexta, por favor'],
    ['api', 1, 'Agendado: Corte feminino, sexta-feira, 15h30.'],
  ],
  [
    ['lead', 0, 'Quanto custa a coloração?'],
    ['ai', 1, 'A partir de R$ 220, conforme o comprimento. O teste de alergia é gratuito.'],
    ['lead', 11, 'Obrigada, vou pensar'],
  ],
  [
    ['lead', 0, 'Posso levar meu filho? Ele tem 4 anos'],
    ['seller', 8, 'Pode, sim! Temos uma cadeirinha e desenhos para ele.'],
  ],
  [
    ['api', 0, 'Lembrete: seu horário é amanhã às 14h.'],
    ['lead', 35, 'Confirmado!'],
  ],
  [
    ['followup', 0, 'Oi! Ainda pensando na hidratação? Posso guardar um horário para esta semana.'],
    ['lead', 90, 'Guarda para sábado de manhã?'],
    ['seller', 12, 'Guardado: sábado às 11h. Até lá!'],
    ['lead', 2, 'Obrigada'],
  ],
  [
    ['lead', 0, 'Vocês abrem no feriado?'],
    ['ai', 1, 'No feriado o salão fica fechado. Na terça abrimos às 9h.'],
    ['lead', 3, 'Então marca terça às 9h'],
    ['seller', 6, 'Marcado, terça às 9h com o Rafael.'],
    ['api', 1, 'Agendado: Corte masculino, terça-feira, 9h.'],
  ],
];
