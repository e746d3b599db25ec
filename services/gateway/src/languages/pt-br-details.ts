/**
 * The `detail`s of errors and of faults in Brazilian Portuguese: `[English, Portuguese]`. A service writes the English
 * text, and the gateway recognizes it. `{number}` stands for digits, `{phrase}` for another text of this list, a name of
 * `ptBrWords` for one of its words, and any other name for a text that is the same in both languages.
 */
export const ptBrDetails: readonly (readonly [string, string])[] = [
  // Errors.
  [
    'wrong_key: The provider does not accept the key. Connect with a valid one.',
    'wrong_key: O provedor não aceita a chave. Conecte com uma chave válida.',
  ],
  [
    'unknown_model: The provider has no such model, or there is no API at this address. Correct them.',
    'unknown_model: O provedor não tem esse modelo, ou não há API nesse endereço. Corrija-os.',
  ],
  [
    'unreachable: The provider does not answer. Correct the address, or try again in a minute.',
    'unreachable: O provedor não responde. Corrija o endereço, ou tente de novo em um minuto.',
  ],
  [
    'timed_out: The model did not answer in time. Try again: a model that was loaded meanwhile is faster.',
    'timed_out: O modelo não respondeu a tempo. Tente de novo: um modelo carregado nesse meio-tempo é mais rápido.',
  ],
  [
    'rate_limited: The provider takes no more calls of this account now. Look at its credit, or try again later.',
    'rate_limited: O provedor não aceita mais chamadas desta conta agora. Veja o crédito dela, ou tente mais tarde.',
  ],
  [
    'unusable: The provider rejected a trial call, or its answer is not that of a model. Correct the address and the model.',
    'unusable: O provedor recusou uma chamada de teste, ou a resposta não é a de um modelo. Corrija o endereço e o modelo.',
  ],
  [
    'The store has no booking rules. Set them with `PUT /booking/rules`.',
    'A loja não tem regras de agendamento. Defina-as com `PUT /booking/rules`.',
  ],
  ['The path ends in a slash. Use `{path}`.', 'O caminho termina em barra. Use `{path}`.'],
  [
    'The request has more than one `X-API-Key` header. Send one.',
    'A requisição tem mais de um cabeçalho `X-API-Key`. Envie só um.',
  ],
  ['The request needs a `Host` header.', 'A requisição precisa do cabeçalho `Host`.'],
  ['The body is not UTF-8. Encode it as UTF-8.', 'O corpo não é UTF-8. Codifique-o em UTF-8.'],
  [
    'Too many attempts to sign in. Retry after `Retry-After` seconds.',
    'Tentativas demais de entrar. Tente de novo após `Retry-After` segundos.',
  ],
  [
    'Sellers name a lead in `lead_id`: only managers see the list of all leads.',
    'Vendedores indicam um lead em `lead_id`: só gerentes veem a lista de todos os leads.',
  ],
  [
    'The gateway has too many connections. Retry after `Retry-After` seconds.',
    'O gateway tem conexões demais. Tente de novo depois de `Retry-After` segundos.',
  ],
  [
    'The store has {number} requests that wait for events. Retry after `Retry-After` seconds.',
    'A loja tem {number} requisições que esperam eventos. Tente de novo depois de `Retry-After` segundos.',
  ],
  [
    'The store has {number} exports under way. Retry after `Retry-After` seconds.',
    'A loja tem {number} exportações em andamento. Tente de novo depois de `Retry-After` segundos.',
  ],
  [
    'The gateway has too many exports under way. Retry after `Retry-After` seconds.',
    'O gateway tem exportações demais em andamento. Tente de novo depois de `Retry-After` segundos.',
  ],
  [
    'The store sends faster than its rate while the server serves other stores. Retry after `Retry-After` seconds.',
    'A loja envia mais rápido que seu limite enquanto o servidor atende outras lojas. Tente de novo depois de `Retry-After` segundos.',
  ],
  [
    "This operation needs a store of tier `{required}` or higher; the store's tier is `{current}`.",
    'Esta operação exige uma loja com o plano `{required}` ou superior; o plano da loja é `{current}`.',
  ],
  [
    'The key lacks the scope `{scope}`. Use a key that has it.',
    'A chave não tem o escopo `{scope}`. Use uma que tenha.',
  ],
  [
    'The report would lack {parts}, because a service did not answer. Send the request again.',
    'O relatório ficaria sem {parts}, porque um serviço não respondeu. Envie a requisição de novo.',
  ],
  [
    'The lead was merged into another one. Use the lead whose id is in `merged_into`.',
    'O lead foi mesclado a outro. Use o lead cujo id está em `merged_into`.',
  ],
  [
    '`If-Match` does not name the current version. Read the resource again and use its new ETag.',
    '`If-Match` não traz a versão atual. Leia o recurso de novo e use o novo ETag.',
  ],
  [
    'The store already has a lead with this phone, and `If-None-Match: *` only creates. Its id is in `id`.',
    'A loja já tem um lead com este telefone, e `If-None-Match: *` só cria. O id dele está em `id`.',
  ],
  [
    'The store has sent {number} tests within a minute. Retry after `Retry-After` seconds.',
    'A loja enviou {number} testes em um minuto. Tente de novo depois de `Retry-After` segundos.',
  ],
  [
    'The feed no longer has the events after those that were sent. Send a `resume_from` that it has.',
    'O feed não tem mais os eventos depois dos que foram enviados. Envie um `resume_from` que ele tenha.',
  ],
  [
    'The feed does not have `resume_from`. Send the `next` of `after=-1` plus 1 to begin with the events to come.',
    'O feed não tem `resume_from`. Envie o `next` de `after=-1` mais 1 para começar nos eventos que ainda virão.',
  ],
  [
    'The feed does not have `from_sequence`. Leave it out to begin with the oldest event.',
    'O feed não tem `from_sequence`. Omita-o para começar no evento mais antigo.',
  ],
  ['needs `status` with the value `enabled`', 'precisa de `status` com o valor `enabled`'],
  ['must not be less than `from_sequence`', 'não pode ser menor que `from_sequence`'],
  ['must have either `password` or `answer`', 'deve ter `password` ou `answer`'],
  ['must have either `token`, or `email` and `password`', 'deve ter `token`, ou `email` e `password`'],
  [
    'You cannot go to this store. Open a login link of it.',
    'Você não pode ir a esta loja. Abra um link de acesso dela.',
  ],
  [
    'Too many wrong passwords. Retry after `Retry-After` seconds, or sign in with a login link.',
    'Senhas erradas demais. Tente de novo depois de `Retry-After` segundos ou entre com um link de acesso.',
  ],
  [
    'Your password opens other stores too, so this session cannot replace it. Give the current password, or ask the operator for a link.',
    'Sua senha também abre outras lojas, então esta sessão não pode trocá-la. Informe a senha atual ou peça um link ao operador.',
  ],
  [
    'The store was changed, but some follow-ups were not replanned. Send the same change again.',
    'A loja foi alterada, mas alguns follow-ups não foram replanejados. Envie a mesma alteração de novo.',
  ],
  ['must not be your email address', 'não pode ser o seu endereço de e-mail'],
  [
    'is too easy to guess; use several words that do not belong together',
    'é fácil demais de adivinhar; use várias palavras que não combinam entre si',
  ],
  ['is needed for the role `seller`', 'é necessário para o papel `seller`'],
  ['The store has no person with this id. Check the id.', 'A loja não tem nenhuma pessoa com este id. Confira o id.'],
  ['must be an `https` address', 'deve ser um endereço `https`'],
  ['must not have a user name or password', 'não pode ter nome de usuário nem senha'],
  ['must not have a fragment', 'não pode ter fragmento'],
  ['must have the port 443 or 8443', 'deve ter a porta 443 ou 8443'],
  ['must not lead into a private network', 'não pode levar a uma rede privada'],
  [
    'The store already has the default agent {id}. Clear its `is_default` first.',
    'A loja já tem o agente padrão {id}. Desligue antes o `is_default` dele.',
  ],
  [
    'The appointment is {status}. Only a scheduled appointment can change.',
    'O agendamento está com o status {status}. Só um agendamento com o status scheduled pode mudar.',
  ],
  [
    'The follow-up is {status}. Only a pending follow-up can be {change}.',
    'O follow-up está com o status {status}. Só um follow-up com o status pending pode ser {change}.',
  ],
  [
    'The message is {status}. Only a queued message can be cancelled.',
    'A mensagem está com o status {status}. Só uma mensagem com o status queued pode ser cancelada.',
  ],
  ['The store has no messaging channel. Connect one.', 'A loja não tem canal de mensagens. Conecte um.'],
  [
    'The messaging channel needs attention. Its `reason` in `GET /store` says why: repair it.',
    'O canal de mensagens precisa de atenção. O seu `reason` em `GET /store` diz por quê: corrija.',
  ],
  ['No channel has this address.', 'Nenhum canal tem este endereço.'],
  ['The signature does not match the body.', 'A assinatura não corresponde ao corpo.'],
  ['The verify token is wrong. Use the one of this channel.', 'O verify token está errado. Use o deste canal.'],
  ['This is not a challenge. Send the `hub.*` parameters.', 'Isto não é um challenge. Envie os parâmetros `hub.*`.'],
  ['The request is not signed. Send `{header}`.', 'A requisição não está assinada. Envie `{header}`.'],
  [
    'The webhook is larger than 3 MiB. Send it in smaller ones.',
    'O webhook passa de 3 MiB. Envie-o em partes menores.',
  ],

  // Faults that the rules of the schemas find. They follow the place: "#/title não pode ficar vazio".
  ['is required', 'é obrigatório'],
  ['is no turn of this lead', 'não é um turno deste lead'],
  ['is not valid', 'não é válido'],
  ['is not a member of this object', 'não é um campo deste objeto'],
  ['is not a member of this request', 'não é um campo desta requisição'],
  ['is not a parameter of this request', 'não é um parâmetro desta requisição'],
  ['its name {phrase}', 'o nome {phrase}'],
  ['must be {type}', 'deve ser {type}'],
  ['must be {type} or {type2}', 'deve ser {type} ou {type2}'],
  ['must be one of: {values}', 'deve ser um destes valores: {values}'],
  ['must not be empty', 'não pode ficar vazio'],
  ['must have at least {number} characters', 'deve ter pelo menos {number} caracteres'],
  ['must have at most {number} characters', 'deve ter no máximo {number} caracteres'],
  ['must have at least 1 element', 'deve ter pelo menos 1 elemento'],
  ['must have at least {number} elements', 'deve ter pelo menos {number} elementos'],
  ['must have at most {number} elements', 'deve ter no máximo {number} elementos'],
  ['must not have the same element twice', 'não pode ter o mesmo elemento duas vezes'],
  ['must have at least 1 member', 'deve ter pelo menos 1 campo'],
  ['must have at least {number} members', 'deve ter pelo menos {number} campos'],
  ['must have at most {number} members', 'deve ter no máximo {number} campos'],
  ['must be at least {number}', 'deve ser no mínimo {number}'],
  ['must be at most {number}', 'deve ser no máximo {number}'],
  ['must be greater than {number}', 'deve ser maior que {number}'],
  ['must be less than {number}', 'deve ser menor que {number}'],
  ['must be a multiple of {number}', 'deve ser múltiplo de {number}'],
  ['must be a UUID', 'deve ser um UUID'],
  ['must be the id of an event of the stream', 'deve ser o id de um evento do stream'],
  [
    'must be a real date and time with an offset (RFC 3339), such as 2027-01-31T09:00:00Z',
    'deve ser uma data e hora válidas, com offset (RFC 3339), como 2027-01-31T09:00:00Z',
  ],
  [
    'must be a real date, such as 2027-01-31, or a date and time with an offset (RFC 3339)',
    'deve ser uma data válida, como 2027-01-31, ou uma data e hora com offset (RFC 3339)',
  ],
  ['must be an IANA time zone, such as America/Sao_Paulo', 'deve ser um fuso horário da IANA, como America/Sao_Paulo'],
  ['must be a language tag (BCP 47), such as pt-BR', 'deve ser um código de idioma (BCP 47), como pt-BR'],
  ['must be a country code (ISO 3166), such as BR', 'deve ser um código de país (ISO 3166), como BR'],
  [
    'is a number of two countries: write `{national}` or `{international}`',
    'é um número de dois países: escreva `{national}` ou `{international}`',
  ],
  [
    'must be a phone number with its country code, such as {phone}',
    'deve ser um telefone com o código do país, como {phone}',
  ],
  ['must be an email address, such as ana@example.com', 'deve ser um endereço de e-mail, como ana@example.com'],
  [
    'must be an absolute address, such as https://example.com/path',
    'deve ser um endereço absoluto, como https://example.com/path',
  ],
  [
    'has the unknown value `{value}`; must be one or several of: {values}',
    'tem o valor desconhecido `{value}`; deve ter um ou mais destes: {values}',
  ],
  [
    'has an unknown value in place {place}; must be one or several of: {values}',
    'tem um valor desconhecido na posição {place}; deve ter um ou mais destes: {values}',
  ],
  [
    'has an empty value; must be one or several of: {values}',
    'tem um valor vazio; deve ter um ou mais destes: {values}',
  ],
  ['does not have the right form: {phrase}', 'não está no formato certo: {phrase}'],
  ['The first day, such as `2027-01-31`.', 'o primeiro dia, como `2027-01-31`'],
  ['The last day, such as `2027-01-31`. By default today.', 'o último dia, como `2027-01-31`, por padrão hoje'],
  ['a tag without a comma', 'uma tag sem vírgula'],
  ['From this time of day, such as `09:00`.', 'a partir desta hora do dia, como `09:00`'],
  [
    'Until before this time, which is after `from`. `24:00` is the end of the day.',
    'até antes desta hora, que vem depois de `from`; `24:00` é o fim do dia',
  ],
  ['The day in the store’s time zone, such as `2027-12-25`.', 'o dia no fuso horário da loja, como `2027-12-25`'],
  ['E.164 number, digits only', 'um número E.164, só com dígitos'],
  ['One or several types of events, separated by commas.', 'um ou mais tipos de evento, separados por vírgulas'],
  ['One or several of {values}, separated by commas.', 'um ou mais de {values}, separados por vírgulas'],
  [
    'Leads with this tag, or with one of several that are separated by commas. Case does not count.',
    'uma ou mais tags, separadas por vírgulas',
  ],
  [
    'The id (a UUID) of the responsible seller, or `none` for leads without a seller.',
    'o id (um UUID) do vendedor responsável, ou `none` para leads sem vendedor',
  ],
  [
    'The leads with these ids, at most {number}, separated by commas. Those that do not exist are left out.',
    'até {number} ids (UUIDs) de leads, separados por vírgulas',
  ],
  ['must not contain the character NUL', 'não pode conter o caractere NUL'],
  ['must be well-formed Unicode', 'deve ser Unicode bem formado'],
  ['must not be nested more than {number} deep', 'não pode ter mais de {number} níveis de aninhamento'],

  // Faults that an operation finds.
  ['is required for {provider}', 'é obrigatório para {provider}'],
  ['is not used by {provider}', 'não é usado por {provider}'],
  ['is not used by the sandbox: leave it out', 'não é usado pela sandbox: deixe de fora'],
  ['is only for the sandbox', 'é só para a sandbox'],
  [
    'This platform has no sandbox telephones. Its operator allows them with `SANDBOX_TELEPHONE`.',
    'Esta plataforma não tem telefones de sandbox. O operador os permite com `SANDBOX_TELEPHONE`.',
  ],
  ['The address has expired. Connect the sandbox again.', 'O endereço expirou. Conecte o sandbox de novo.'],
  ['is required with a password', 'é obrigatório com uma senha'],
  ['is required with a username', 'é obrigatório com um nome de usuário'],
  [
    'must be an http or https URL without credentials, query or fragment',
    'deve ser uma URL http ou https sem credenciais, query ou fragmento',
  ],
  [
    'must be an https address without a user name, password, query or fragment',
    'deve ser um endereço https sem nome de usuário, senha, query ou fragmento',
  ],
  ['must be printable ASCII without spaces', 'deve ser ASCII imprimível sem espaços'],
  [
    'would send the access token without TLS. Use an https address.',
    'enviaria o token de acesso sem TLS. Use um endereço https.',
  ],
  ['is not an address', 'não é um endereço'],
  [
    'must have no user name, password, query or fragment. Pass the key in secrets.',
    'não pode ter nome de usuário, senha, query nem fragmento. Passe a chave em secrets.',
  ],
  [
    'would send what customers write without TLS. Use an https address, or let the operator name the host in PLAINTEXT_ALLOW_HOSTS.',
    'enviaria sem TLS o que os clientes escrevem. Use um endereço https, ou peça ao operador que nomeie o host em PLAINTEXT_ALLOW_HOSTS.',
  ],
  ['would send the password without TLS. Use an https address.', 'enviaria a senha sem TLS. Use um endereço https.'],
  ['must have exactly one of `ids` and `filter`', 'deve ter exatamente um destes: `ids` ou `filter`'],
  [
    'needs exactly one of `reaction`, `text` and `deleted`',
    'precisa de exatamente um destes: `reaction`, `text` ou `deleted`',
  ],
  ['A customer sends no templates.', 'Um cliente não envia modelos.'],
  ['is required for the type `{type}`', 'é obrigatório para o tipo `{type}`'],
  [
    'needs a price file: set MODEL_PRICES_FILE of assistant',
    'precisa de um arquivo de preços: o operador define MODEL_PRICES_FILE do assistant',
  ],
  ['needs a `filter`', 'precisa de um `filter`'],
  ['needs `from`, `to` or both', 'precisa de `from`, de `to` ou dos dois'],
  ['is only for the kind `message`', 'é só para o tipo `message`'],
  ['does not belong to this service', 'não pertence a este serviço'],
  ['is not supported by this operation', 'não é aceito nesta operação'],
  [
    'does not apply to an export, which has all rows; leave it out',
    'não se aplica a uma exportação, que traz todas as linhas; deixe-o de fora',
  ],
  ['cannot be combined with `order=desc`', 'não pode ser combinado com `order=desc`'],
  ['must be one of `event_types`', 'deve ser um dos `event_types`'],
  ['must have every type of `filters`', 'deve ter todos os tipos de `filters`'],
  ['must be a text, a number, a boolean or null', 'deve ser um texto, um número, um booleano ou null'],
  [
    'must be left out: the member is a list or an object, so only any change of it can be chosen',
    'deve ficar de fora: o membro é uma lista ou um objeto, por isso só se pode escolher qualquer mudança dele',
  ],
  ['cannot be combined with If-Match', 'não pode ser combinado com If-Match'],
  ['must be * in this operation', 'deve ser * nesta operação'],
  ['is required to create the lead', 'é obrigatório para criar o lead'],
  ['was given more than once', 'foi enviado mais de uma vez'],
  [
    'must be a quoted string when it begins with a quotation mark',
    'deve ser uma string entre aspas quando começa com aspas',
  ],
  ['must be 1 to 255 printable ASCII characters', 'deve ter de 1 a 255 caracteres ASCII imprimíveis'],
  ['must be at most 8 KiB of JSON', 'deve ter no máximo 8 KiB de JSON'],
  [
    'must leave at most {number} members, and {number2} bytes as JSON',
    'deve resultar em no máximo {number} campos e {number2} bytes em JSON',
  ],
  ['cannot be combined with {name}; send only one', 'não pode ser combinado com {name}; envie só um dos dois'],
  ['is not a cursor of this list; start again without it', 'não é um cursor desta lista; recomece sem ele'],
  [
    'belongs to a list with other filters; start again without it',
    'pertence a uma lista com outros filtros; recomece sem ele',
  ],
  ['must have at least 2 letters or digits', 'deve ter pelo menos 2 letras ou dígitos'],
  ['must be another lead than `lead_id`', 'deve ser um lead diferente de `lead_id`'],
  ['must have at most {number} KiB of text; split it', 'deve ter no máximo {number} KiB de texto; divida-o'],
  [
    'must have at most {number} KiB as JSON; remove quotation marks or line breaks',
    'deve ter no máximo {number} KiB em JSON; remova aspas ou quebras de linha',
  ],
  [
    'must be unique, but group {number} of the list has {number2} too',
    'deve ser único, mas o grupo {number} da lista também tem {number2}',
  ],
  ['must have one of `message` and `template`', 'deve ter `message` ou `template`'],
  [
    'The channel has this template only in {languages}. Use one of these languages.',
    'O canal tem este template só em {languages}. Use um destes idiomas.',
  ],
  ['must make a text of at most {number} characters', 'deve formar um texto de no máximo {number} caracteres'],
  ['is for a button without a variable', 'é de um botão sem variável'],
  ['is in another component already', 'já está em outro componente'],
  ['must be `{type}`, as in the template', 'deve ser `{type}`, como no template'],
  [
    'must be the index of a button of the template, each once',
    'deve ser o índice de um botão do template, cada um uma só vez',
  ],
  ['must have a `button` with the index {number}', 'deve ter um `button` com o índice {number}'],
  ['must have a `header` with a parameter of type `{type}`', 'deve ter um `header` com um parâmetro do tipo `{type}`'],
  [
    'must have a `{part}` with a parameter for each of its {number} variables',
    'deve ter um `{part}` com um parâmetro para cada uma das suas {number} variáveis',
  ],
  ['must have one parameter of type `{type}`', 'deve ter um só parâmetro, do tipo `{type}`'],
  [
    'must have {number} parameters, one for each variable of the `{part}`',
    'deve ter {number} parâmetros, um para cada variável do `{part}`',
  ],
  ['must have one of `lead_id` and `lead`', 'deve ter `lead_id` ou `lead`'],
  ['must be values separated by commas', 'deve ser valores separados por vírgulas'],
  ['must be the id of a seller, or `none`', 'deve ser o id de um vendedor, ou `none`'],
  ['must be a tag: at most 40 characters, without commas', 'deve ser uma tag: no máximo 40 caracteres, sem vírgulas'],
  ['must contain a character that is not an accent', 'deve conter um caractere que não seja um acento'],
  ['is only for `business_hours`', 'é só para `business_hours`'],
  ['needs `hours`', 'precisa de `hours`'],
  ['must be at most {number} KiB of JSON', 'deve ter no máximo {number} KiB de JSON'],
  ['must have one of `due_at` and `delay_minutes`', 'deve ter `due_at` ou `delay_minutes`'],
  ['must not be in the past', 'não pode estar no passado'],
  ['must be at most {number} days ahead', 'deve estar no máximo {number} dias à frente'],
  ['must be after `from`', 'deve ser depois de `from`'],
  ['must be at most {number} days after `from`', 'deve ser no máximo {number} dias depois de `from`'],
  ['must be a date that exists', 'deve ser uma data que existe'],
  ['must not be after `to`', 'não pode ser depois de `to`'],
  ['must be at most {number} days before `to`', 'deve ser no máximo {number} dias antes de `to`'],
  ['must not repeat the date of another exception', 'não pode repetir a data de outra exceção'],
  ['must not repeat that of another reminder', 'não pode repetir o de outro lembrete'],
  [
    'has an unknown placeholder: use only `name`, `service` and `time`',
    'tem um marcador desconhecido: use só `name`, `service` e `time`',
  ],
  ['must have a letter or a digit', 'deve ter uma letra ou um dígito'],
  ['must not also be one of `confirm_words`', 'não pode ser também uma das `confirm_words`'],
  ['cannot change: it is a reminder', 'não pode mudar: é um lembrete'],
  ['is required without `service_id`', 'é obrigatório sem `service_id`'],
  ['must be after `due_at`', 'deve ser depois de `due_at`'],
  ['must be before `expires_at`; change that, too', 'deve ser antes de `expires_at`; mude este também'],
  [
    'must be at most {number} days before the end of the period',
    'deve ser no máximo {number} dias antes do fim do período',
  ],
  ['must not move the start of the period into the future', 'não pode levar o início do período para o futuro'],
  ['is required unless `customer_phone` is given', 'é obrigatório quando não há `customer_phone`'],
  ['is required with `table=series`', 'é obrigatório com `table=series`'],
];

/** Words inside of details, by the name of their placeholder. */
export const ptBrWords: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  type: {
    'a string': 'uma string',
    'a number': 'um número',
    'an integer': 'um número inteiro',
    'a boolean': 'um booleano',
    'an array': 'um array',
    'an object': 'um objeto',
    null: 'null',
  },
  change: { changed: 'alterado', cancelled: 'cancelado' },
};
