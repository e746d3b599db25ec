import { toolNames } from '@mostrador/contracts';
import { describe, expect, test } from 'vitest';
import { modelRequest } from '../../../test/model-request.ts';
import { offeredTools } from '../../tools/offered-tools.ts';
import type { Tool, ToolResult } from '../model.ts';
import { claimsWithoutRow } from './claims.ts';

// Friday at 9.
const scheduledAt = '2026-11-27T09:00:00.000Z';
const effect = (name: 'book' | 'move' | 'cancel'): ToolResult => ({
  ...{ id: '1', name, input: {}, output: { appointment: { scheduled_at: scheduledAt } } },
});
const refused: ToolResult = { ...effect('book'), output: { error: 'not_offered' } };
const offering = { books: true, services: [], offers: [], timezone: 'UTC' };
const hasOne = offeredTools(
  { ...offering, appointments: [{ id: 'a', title: 'Corte', scheduled_at: scheduledAt }] },
  toolNames,
);
const claims = (text: string, results: readonly ToolResult[] = [], tools: readonly Tool[] = [], said = '') =>
  claimsWithoutRow(
    text,
    modelRequest({
      // A Thursday.
      ...{ results, tools, now: '2026-11-26T12:00:00.000Z' },
      conversation: said === '' ? [] : [{ from: 'store', text: said, at: '2026-11-26T11:00:00.000Z' }],
    }),
  );

describe('claims a booking without a row', () => {
  const made = {
    book: [
      ...['Pronto, marquei para amanhã às 9h!', 'Já agendei o seu corte.', 'Seu horário está confirmado para sexta.'],
      ...['Agendamento confirmado!', 'Ok.\nMarcado!', 'Ya reservé tu turno para mañana.', 'Tu cita quedó confirmada.'],
      ...["I've booked you for tomorrow.", 'Your appointment is confirmed for 9 am.', "You're all booked!"],
      ...['Está agendado para amanhã às 9h.', 'Você está agendado.', 'Agendamos o seu corte.', 'He reservado tu cita.'],
      ...['Quedaste agendada.', 'Your haircut is booked.', 'We have booked you.', 'A gente já marcou o seu corte.'],
      ...['Nossa equipe agendou você para sexta.', 'Acabamos de reservar o seu horário.', 'Deixei seu corte agendado.'],
      ...['Te agendé para mañana.', 'Te hemos agendado.', 'Se agendó tu cita.', 'Tu corte ha sido reservado.'],
      ...[
        'Usted está agendado.',
        'I just scheduled your visit.',
        "I've put you down for Friday.",
        'We got you booked.',
      ],
      ...['Your cut has been scheduled.', 'You have been booked in.', 'All booked!', 'Booked for tomorrow at 9.'],
      ...[
        'Prontinho, agendado para sexta!',
        'Confirmei o seu horário.',
        'Fiz o agendamento.',
        'Sua visita ficou marcada.',
      ],
      ...[
        'A consulta foi marcada para sexta.',
        'Reserva feita!',
        'The team has reserved your slot.',
        'Consider it booked.',
      ],
      ...['Marquei para amanhã, pode ser?', 'Confirmé tu cita.', 'Your booking was made and is confirmed.'],
      ...[
        'Você tem um horário marcado para amanhã às 9h.',
        'Seu horário é amanhã às 9h.',
        'Tu turno es el viernes a las 9.',
      ],
      ...['You have an appointment tomorrow at 9.', 'Consegui encaixar você amanhã.', 'Ok, está tudo marcado.'],
    ],
    move: [
      ...['… foi remarcado para sexta', 'Seu corte foi remarcado para sexta.', 'Reagendei.', 'Mudei o seu horário.'],
      ...[
        'Remarcamos a sua consulta.',
        'Passei você para sexta.',
        'Seu horário mudou para sexta.',
        'Transferi para sexta.',
      ],
      ...['Tu cita fue reprogramada.', 'Cambié tu turno al viernes.', 'He movido tu cita.', 'Se reagendó tu cita.'],
      ...["I've moved your appointment.", 'I moved it to Friday.', 'Your appointment has been moved.', 'Rescheduled!'],
      ...['We have rescheduled you.', 'Your visit was changed to Friday.', 'The appointment has been rescheduled.'],
      ...['A reserva foi adiada.', 'Remarcação concluída.', 'Seu novo horário é sexta às 9h.', 'Alterei a reserva.'],
    ],
    cancel: [
      ...['Seu horário foi cancelado.', 'Acabei de cancelar o seu horário.', 'Cancelei.', 'Desmarcamos o seu corte.'],
      ...[
        'Tu cita fue cancelada.',
        'Cancelé tu turno.',
        'Se canceló tu cita.',
        'La cita ha sido anulada.',
        'Hemos cancelado.',
      ],
      ...['Your appointment has been cancelled.', 'I canceled it.', 'We have cancelled your visit.', "It's cancelled."],
      ...[
        'Cancelado!',
        'Pronto, cancelado.',
        'Cancelamento feito.',
        'O agendamento está cancelado.',
        'A consulta foi desmarcada.',
      ],
      ...['Foi cancelado, quer marcar outro?', 'Não, já cancelei o seu horário.', 'Your booking is now cancelled.'],
    ],
  };
  const all = (Object.keys(made) as (keyof typeof made)[]).flatMap((kind) =>
    made[kind].map((text) => ({ kind, text })),
  );

  test.each(all)('$kind: $text', ({ kind, text }) => {
    expect(claims(text)).toBe(true);
    expect(claims(text, [refused])).toBe(true);
    expect(claims(text, [effect(kind)])).toBe(false);
    // Another effect says nothing of it. A new time is booked, too.
    expect(claims(text, [effect(kind === 'cancel' ? 'book' : 'cancel')])).toBe(true);
  });

  test.each(all.filter(({ kind }) => kind !== 'book'))('an appointment to come is not enough: $text', ({ text }) => {
    expect(claims(text, [], hasOne)).toBe(true);
  });

  test.each([
    ['Seu horário está confirmado para sexta às 10h.', false],
    ['Seu horário está confirmado para sábado.', false],
    ['Your appointment is confirmed for tomorrow at 3 pm.', false],
    ['Tu cita está confirmada para el lunes a las 9.', false],
    ['Marquei para amanhã às 15h.', false],
    ['Seu horário está confirmado para sexta às 9h.', true],
    ['Your appointment is confirmed for tomorrow at 9 am.', true],
    ['Tu cita está confirmada para mañana.', true],
    ['Marquei para amanhã às 9h.', true],
  ])('a time that is named is that of the appointment: %s', (text, isIt) => {
    expect(claims(text, [effect('book')])).toBe(!isIt);
    if (!text.startsWith('Marquei')) expect(claims(text, [], hasOne)).toBe(!isIt);
  });

  test.each([
    ['Sim, seu horário foi cancelado.', 'Cancelado: Corte, sexta-feira, 27 de novembro às 9:00.'],
    ['Sim, já remarquei o seu horário.', 'Remarcado: Corte, sexta-feira, 27 de novembro às 9:00.'],
    ['Yes, your appointment has been cancelled.', 'Cancelled: Haircut, Friday 27 November at 9:00.'],
    ['Sí, tu cita está reservada.', 'Reservado: Corte, viernes, 27 de noviembre, 9:00.'],
  ])('what the server has confirmed before may be said again: %s', (text, said) => {
    expect(claims(text, [], [], said)).toBe(false);
    expect(claims(text, [], [], 'Ok.')).toBe(true);
  });

  test.each([
    'Posso marcar para amanhã?',
    'Esse horário já está reservado. Pode ser às 10?',
    'Para cancelar, avise até um dia antes.',
    'Os horários marcados aparecem aqui.',
    'Ese turno ya está reservado.',
    'That time is booked. Is 3 pm fine?',
    'Would you like me to book it?',
    'Custa R$ 60.',
    // Negations and conditions.
    'Ainda não agendei nada. Qual horário prefere?',
    'Eu não marquei o seu horário ainda.',
    'Todavía no agendé tu turno.',
    'I have not booked anything yet.',
    'Quando o seu horário está confirmado, você recebe um lembrete.',
    'Si tu cita está confirmada, recibes un aviso.',
    'Once your appointment is confirmed, you get a reminder.',
    'Shall I look again if I booked the wrong day?',
    // The customer's words, and a question.
    'Você escreveu "já agendei com vocês", mas não encontro o horário.',
    'Usted dijo: «ya reservé», pero no lo encuentro.',
    'You said “I booked it last week”, but I find no appointment.',
    'O seu horário está confirmado? Vou verificar com a equipe.',
    ...['Quer que eu cancele?', 'Seu horário não foi cancelado.', 'Ainda não está confirmado.', 'Quer remarcar?'],
    ...['O seu corte ainda não foi marcado.', 'Agendamos de segunda a sexta.', 'Marcamos com um dia de antecedência.'],
    ...['Cancelamos sem custo até um dia antes.', 'Posso reagendar o seu horário?', 'Vou ver se foi cancelado.'],
    ...['Seu horário só está confirmado depois do sinal.', 'Seu horário fica confirmado após o pagamento.'],
    ...[
      'O horário de funcionamento foi alterado.',
      'Passei a sua pergunta para a equipe.',
      'Mudei o seu nome no cadastro.',
    ],
    ...['Seu nome foi alterado.', 'Confirmei o preço com a equipe.', 'Temos um horário reservado para emergências?'],
    ...[
      'No agendamos los domingos.',
      'Tu cita no fue cancelada.',
      '¿Tu cita fue cancelada?',
      'Puedo cambiar tu turno.',
    ],
    ...['¿Quieres que cancele tu cita?', 'Agendamos de lunes a viernes.', 'Se reserva con un día de anticipación.'],
    ...['Your appointment has not been cancelled.', 'Your name has been changed.', 'Do you want me to move it?'],
    ...['Was your appointment cancelled?', 'We book from Monday to Friday.', 'Have I booked the wrong day?'],
    ...['I have passed your question to the team.', 'We moved to a new address.', 'You can cancel or move it here.'],
    ...['If your appointment was cancelled, write to us.', 'Esse horário já foi reservado por outra pessoa.'],
    ...['Nenhum horário foi marcado.', 'Para agendar, escolha um dos horários.', 'Seu horário preferido é de manhã?'],
    ...[
      'Qual horário prefere?',
      'Te encaixo na sexta?',
      'Avise se o seu horário foi cancelado.',
      'Você tem horário preferido?',
    ],
    ...['Passei a sua dúvida sobre o horário para a equipe.', 'I got your question about the appointment.'],
    ...['Hoje é sexta e o horário é das 9 às 18.', 'We changed the topic.', 'Deixei um recado sobre a consulta.'],
    ...['A loja mudou de endereço.', 'O corte dura 45 minutos e custa R$ 60.', 'Até amanhã!', 'Combinado, obrigada!'],
    ...['I can book you in for Friday.', 'Once booked, you get a reminder.', 'Appointments are booked here.'],
    ...[
      'Os cancelamentos são gratuitos.',
      'Caso tenha marcado por telefone, avise.',
      'Changed your mind? Write to us.',
    ],
  ])('not: %s', (text) => expect(claims(text)).toBe(false));

  test.each([
    'Claro: "Já agendei o seu corte para amanhã."',
    '“I booked you for tomorrow.”',
    'Não se preocupe, já agendei o seu corte.',
    'Se precisar de algo, avise. Marquei para amanhã.',
    'Você escreveu "quero cortar o cabelo", então já agendei para amanhã.',
    "Don't worry, I've booked it.",
    'No te preocupes, ya reservé tu turno.',
    "I've already booked you for Friday.",
  ])('no form hides it: %s', (text) => expect(claims(text)).toBe(true));

  test.each([
    'Sim, já agendei o seu corte para sexta às 9h.',
    'Sí, ya reservé tu turno para el viernes.',
    "Yes, I've already booked your haircut for Friday.",
    'Seu horário está confirmado para sexta.',
  ])('what the lead has already may be named: %s', (text) => {
    expect(claims(text, [], hasOne)).toBe(false);
    expect(claims(text)).toBe(true);
  });

  test.each([
    'Cancelei o seu horário.',
    'Marquei também para sábado!',
    'Já cancelei o seu corte.',
    "I've rescheduled it.",
  ])('what was not done may not: %s', (text) => expect(claims(text, [], hasOne)).toBe(true));
});

test('a text of nothing but the words of claims costs little', () => {
  for (const part of ['seu ', 'seu horário ', 'não ', 'I have ', 'your booking is ', 'já ', '(', 'a gente '])
    claims(part.repeat(8_192 / part.length), [], hasOne);
});
