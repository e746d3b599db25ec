/** What the store of the replies knows, in each language. */
export const documents = {
  pt: [
    'Preços: corte feminino R$ 80,00. Corte masculino R$ 50. Escova R$ 45. Coloração a partir de R$ 180. Pacote de 5 escovas por R$ 200. Aceitamos Pix, dinheiro e cartão em até 3x sem juros. No Pix há 5% de desconto.',
    'Horário: de segunda a sexta, das 9h às 19h. Sábado das 9h às 14h. Fechado aos domingos e feriados.',
    'Política: o cancelamento é gratuito até 24 horas antes. Depois cobramos 50% do valor. A tolerância de atraso é de 15 minutos. Para noivas pedimos um sinal de R$ 100. O corte dura 45 minutos, a coloração 2 horas.',
    'Ficamos na Rua das Flores, 120, perto do metrô Paulista. Telefone (11) 91234-5678. Site https://salaoaurora.com.br. O estacionamento é gratuito e tem 8 vagas. Trocas em até 7 dias, com a nota fiscal.',
  ],
  es: [
    'Precios: corte de mujer $ 800. Corte de hombre $ 500. Peinado $ 450. Color desde $ 1.800. Aceptamos efectivo, transferencia y tarjeta en hasta 3 cuotas sin interés. En efectivo hay 10% de descuento.',
    'Horario: de lunes a viernes de 9 a 19 h. Sábados de 9 a 14 h. Domingos y feriados cerrado.',
    'Política: la cancelación es gratuita hasta 24 horas antes. Después se cobra el 50% del valor. La tolerancia es de 15 minutos. El corte dura 45 minutos.',
    'Estamos en Calle Mayor 120, a dos cuadras del metro. Teléfono 11 4321-8765. Sitio https://salonaurora.com.ar. El estacionamiento es gratuito. Cambios hasta 7 días después, con el ticket.',
  ],
  en: [
    'Prices: women’s cut $80. Men’s cut $50. Blow-dry $45. Colouring from $180. We take cash and cards. Students get a 10% discount.',
    'Opening hours: Monday to Friday, 9 am to 7 pm. Saturday 9 am to 2 pm. Closed on Sundays and public holidays.',
    'Policy: cancelling is free up to 24 hours before. After that we charge 50% of the price. We wait 15 minutes for you. A cut takes 45 minutes.',
    'We are at 120 Flower Street, next to the park. Phone (212) 555-0123. Site https://aurorasalon.com. Parking is free. Exchanges within 7 days, with the receipt.',
  ],
} as const;
