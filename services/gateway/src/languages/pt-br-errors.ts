import type { ErrorCode } from '@mostrador/contracts';

/** The catalogue of errors in Brazilian Portuguese. As in English, a description begins with the cause. */
export const ptBrErrors: Readonly<Record<ErrorCode, { readonly title: string; readonly description: string }>> = {
  missing_api_key: {
    title: 'Falta a chave de API',
    description: 'A requisição não tem o cabeçalho `X-API-Key`. Envie a chave de API nele.',
  },
  invalid_api_key: {
    title: 'Chave de API inválida',
    description:
      'A chave de API é desconhecida, foi revogada ou expirou; a resposta não diz qual dos casos. Use uma chave válida.',
  },
  quota_exceeded: {
    title: 'Requisições demais',
    description:
      'A chave de API esgotou seu limite de requisições ou envia mais rápido que esse limite enquanto o servidor atende outras lojas, ou a loja enviou testes demais dos seus endpoints de webhook. Envie a próxima requisição depois de `Retry-After` segundos.',
  },
  route_not_found: {
    title: 'Rota não encontrada',
    description: 'Nenhuma rota tem este caminho. Confira o caminho.',
  },
  method_not_allowed: {
    title: 'Método não permitido',
    description: 'O caminho não aceita este método. Use um dos métodos em `Allow`.',
  },
  tier_required: {
    title: 'Plano da loja insuficiente',
    description: 'O plano da loja não inclui esta operação. O menor plano suficiente está em `required_tier`.',
  },
  scope_required: {
    title: 'Falta um escopo',
    description:
      'A chave de API não tem um escopo que esta operação exige. Use uma chave com o escopo em `required_scope`.',
  },
  body_too_large: {
    title: 'Corpo grande demais',
    description: 'O corpo da requisição passa de 256 KiB. Envie um menor.',
  },
  unsupported_media_type: {
    title: 'Tipo de mídia não aceito',
    description: 'O corpo não foi declarado como JSON. Envie-o com `Content-Type: application/json`.',
  },
  unsupported_content_encoding: {
    title: 'Codificação de conteúdo não aceita',
    description: 'O corpo está comprimido, como diz `Content-Encoding`. Envie-o sem compressão e sem esse cabeçalho.',
  },
  malformed_json: {
    title: 'O corpo não é JSON',
    description: 'O corpo não é JSON válido. Corrija a sintaxe.',
  },
  malformed_request: {
    title: 'Requisição HTTP malformada',
    description: 'A linha da requisição, o caminho ou um cabeçalho está malformado. Corrija a requisição HTTP.',
  },
  headers_too_large: {
    title: 'Cabeçalhos grandes demais',
    description: 'Os cabeçalhos da requisição somam mais de 16 KiB. Envie menos cabeçalhos, ou cabeçalhos menores.',
  },
  request_timeout: {
    title: 'Tempo da requisição esgotado',
    description: 'A requisição não chegou inteira dentro do limite de tempo. Envie-a de novo.',
  },
  validation_failed: {
    title: 'Requisição inválida',
    description:
      'O corpo, a query, o caminho ou um cabeçalho não é válido. Corrija as falhas em `errors`, que lista todas ' +
      'elas (no máximo 50): `{ pointer, detail }` para o corpo (um JSON Pointer como fragmento de URI), ' +
      '`{ in, name, detail }` para o resto.',
  },
  lead_not_found: {
    title: 'Lead não encontrado',
    description:
      'A loja não tem esse lead. Confira o id ou o telefone. Se o lead foi mesclado a outro, `merged_into` traz o id ' +
      'desse outro.',
  },
  lead_not_duplicate: {
    title: 'Os leads não são a mesma pessoa',
    description:
      'Os dois leads têm telefones diferentes, ou nenhum deles tem um, por isso não são mesclados. Mescle leads que ' +
      '`lead duplicates` lista, ou um lead sem telefone com o lead da mesma pessoa.',
  },
  lead_busy: {
    title: 'Lead ocupado',
    description: 'Uma mensagem para o lead está sendo enviada agora. Tente de novo depois de `Retry-After` segundos.',
  },
  lead_exists: {
    title: 'O lead já existe',
    description: 'A loja já tem um lead com este telefone. Use o lead cujo id está em `id`.',
  },
  external_id_exists: {
    title: 'Id externo já em uso',
    description: 'Outro lead da loja tem este `external_id`. Use o lead cujo id está em `id`.',
  },
  seller_not_found: {
    title: 'Vendedor não encontrado',
    description: 'A loja não tem vendedor com este id. Confira o id.',
  },
  seller_inactive: {
    title: 'Vendedor inativo',
    description: 'O vendedor está inativo, por isso não recebe leads. Escolha outro vendedor ou ative este.',
  },
  agent_not_found: {
    title: 'Agente não encontrado',
    description: 'A loja não tem agente com este id. Confira o id.',
  },
  agent_eval_not_found: {
    title: 'Avaliação não encontrada',
    description:
      'O agente não tem uma avaliação com este id, ou não tem nenhuma para executar. Confira o id, ou crie uma avaliação.',
  },
  agent_eval_run_not_found: {
    title: 'Execução de avaliações não encontrada',
    description:
      'Esta não é a última execução das avaliações do agente: outra começou depois. Comece uma nova execução.',
  },
  agent_eval_limit: {
    title: 'Avaliações demais',
    description: 'O agente já tem 50 avaliações e não pode ter mais. Exclua ou altere uma delas.',
  },
  default_agent_exists: {
    title: 'O agente padrão já existe',
    description: 'A loja já tem um agente padrão e só pode ter um. Altere antes o agente em `id`.',
  },
  document_not_found: {
    title: 'Documento não encontrado',
    description: 'A loja não tem documento da base de conhecimento com este id. Confira o id.',
  },
  appointment_not_found: {
    title: 'Agendamento não encontrado',
    description: 'A loja não tem agendamento com este id. Confira o id.',
  },
  event_not_found: {
    title: 'Evento não encontrado',
    description: 'O feed da loja não tem um evento com este id. Ele guarda os eventos por 30 dias.',
  },
  cursor_expired: {
    title: 'Cursor expirado',
    description:
      'O feed não tem mais o evento depois de `after`, ou nunca teve `after`. Guarde o `next` de `after=-1`, leia uma vez ' +
      'por completo os recursos que você espelha e continue a partir desse `next`.',
  },
  appointment_conflict: {
    title: 'Horário ocupado',
    description:
      'Não há vaga livre neste horário. `alternatives` traz até cinco inícios posteriores que estão livres agora. Agende um deles.',
  },
  outside_opening_hours: {
    title: 'Fora do horário de funcionamento',
    description: 'A loja, ou o vendedor agendado, não está aberta durante todo o tempo. Escolha outro horário.',
  },
  outside_booking_window: {
    title: 'Cedo demais ou longe demais',
    description: 'O início vem antes da antecedência mínima da loja, ou além do horizonte dela. Escolha outro horário.',
  },
  booking_rules_not_found: {
    title: 'Sem regras de agendamento',
    description:
      'A loja não tem regras de agendamento que recusam sobreposições. Defina-as antes com `PUT /booking/rules`.',
  },
  service_not_found: {
    title: 'Serviço não encontrado',
    description: 'A loja não tem um serviço com este id. Confira o id.',
  },
  service_inactive: {
    title: 'Serviço inativo',
    description: 'O serviço está inativo e não pode ser agendado. Escolha ou ative um serviço.',
  },
  seller_not_bookable: {
    title: 'Vendedor não agendável',
    description:
      'O vendedor não é `bookable`, ou não faz este serviço. Escolha outro vendedor, ou altere o vendedor ou o serviço.',
  },
  hold_not_found: {
    title: 'Reserva não encontrada',
    description: 'A loja não tem essa reserva. Ela expirou, foi liberada ou virou agendamento. Faça uma nova.',
  },
  hold_not_renewable: {
    title: 'Reserva já renovada',
    description: 'A reserva já foi renovada, e só pode ser renovada uma vez. Agende, ou faça uma nova reserva.',
  },
  appointment_not_scheduled: {
    title: 'O agendamento está encerrado',
    description: 'O agendamento tem o status final em `current_status`. Crie um novo agendamento.',
  },
  calendar_feed_not_found: {
    title: 'Feed de calendário não encontrado',
    description:
      'Nenhum feed de calendário ou convite tem este endereço, ou ele foi substituído, ou o agendamento terminou há mais de ' +
      '30 dias. Use o endereço atual.',
  },
  calendar_not_connected: {
    title: 'Nenhum calendário conectado',
    description: 'A loja não tem calendário conectado. Conecte um antes.',
  },
  ai_connection_refused: {
    title: 'O provedor de modelos recusou a conexão',
    description:
      'Uma chamada de teste ao modelo falhou; `detail` diz por quê. Corrija a chave, o modelo ou o endereço.',
  },
  calendar_refused: {
    title: 'O calendário recusou a conexão',
    description: 'O calendário recusou a conexão; `detail` traz a resposta dele. Corrija o endereço ou as credenciais.',
  },
  channel_not_connected: {
    title: 'Nenhum canal conectado',
    description: 'A loja não tem canal de mensagens conectado, ou o canal precisa de atenção. Conecte o canal.',
  },
  template_not_found: {
    title: 'Template não encontrado',
    description:
      'O canal não tem nenhum template com este nome neste idioma. `GET /templates` lista os que ele tem. Um template novo ' +
      'é conhecido alguns minutos depois de o canal aprová-lo.',
  },
  template_not_approved: {
    title: 'Template não aprovado',
    description:
      'O canal não aprovou o template, ou o pausou, rejeitou ou desativou: `current_status` diz qual. Use outro template, ou ' +
      'corrija este no canal.',
  },
  messaging_window_closed: {
    title: 'Janela de resposta fechada',
    description:
      'O canal só aceita texto livre até 24 horas depois da última mensagem ou ligação do lead. Espere, ou envie a mensagem com um `template`.',
  },
  message_budget_reached: {
    title: 'Orçamento de mensagens atingido',
    description:
      'A mensagem não cabe no que as mensagens da loja podem custar neste mês: `message_budget` de `GET /store`. ' +
      'Isso para as fontes `ai`, `api` e `followup`, exceto uma mensagem da IA que chama uma pessoa. Aumente o orçamento, espere o próximo mês, ou deixe um vendedor escrever.',
  },
  lead_opted_out: {
    title: 'O lead fez opt-out',
    description:
      'O lead fez opt-out das mensagens de origem `ai` e `followup`, e das de origem `api` em uma loja com ' +
      '`opt_out_stops_api` ligado. Espere até que o lead faça opt-in de novo, ou deixe um vendedor escrever.',
  },
  ai_paused: {
    title: 'A IA está pausada',
    description:
      'A IA não escreve ao lead agora: uma pessoa escreveu, ou a pausou. Espere até `ai_paused_until` do lead, ou deixe a IA ' +
      'continuar com `POST /leads/{leadId}/ai/resume`.',
  },
  model_not_connected: {
    title: 'Nenhum modelo está conectado',
    description: 'A loja não conectou nenhum modelo que pudesse responder. Conecte um primeiro.',
  },
  nothing_to_confirm: {
    title: 'Nada espera uma confirmação',
    description:
      'A mensagem não pede nenhum efeito que uma pessoa confirme, ou a decisão já foi tomada: `decision` diz qual, por quem ' +
      'e quando, e a explicação dela, o resultado. O que está sendo confirmado não pode ser recusado: confirme de novo ' +
      'para saber o resultado. Depois de 12 horas só pode ser recusado.',
  },
  ai_budget_reached: {
    title: 'O limite diário da IA acabou',
    description:
      'A IA já usou as chamadas a modelos que a loja permite em um dia, em UTC, o dinheiro delas ou os tokens delas. ' +
      'Tente de novo amanhã, ou aumente o limite.',
  },
  lead_replied: {
    title: 'O lead respondeu',
    description:
      'O lead escreveu depois que a mensagem foi programada, por isso ela não foi enviada. Leia antes a nova mensagem.',
  },
  message_expired: {
    title: 'A mensagem expirou',
    description:
      'A mensagem não foi enviada a tempo: o follow-up dela tem um `expires_at`, ou ela esperou um dia. Escreva de novo ' +
      'se ainda importar.',
  },
  followup_not_found: {
    title: 'Follow-up não encontrado',
    description: 'A loja não tem follow-up com este id. Confira o id.',
  },
  followup_not_pending: {
    title: 'O follow-up não está pendente',
    description:
      'O follow-up tem o status em `current_status`. Só um follow-up `pending` pode ser alterado ou cancelado.',
  },
  message_not_found: {
    title: 'Mensagem não encontrada',
    description: 'O lead não tem mensagem com este id. Confira os dois ids.',
  },
  message_not_queued: {
    title: 'A mensagem não está na fila',
    description:
      'A mensagem tem o status em `current_status`. Só uma mensagem que ainda está `queued` pode ser cancelada.',
  },
  message_not_unknown: {
    title: 'O resultado é conhecido',
    description:
      'A mensagem tem o status em `current_status`. Só uma mensagem `unknown` pode ser resolvida manualmente.',
  },
  session_not_found: {
    title: 'Sessão não encontrada',
    description: 'O lead não tem sessão com este id. Confira os dois ids.',
  },
  webhook_refused: {
    title: 'Webhook recusado',
    description:
      'Nenhum canal tem este endereço, ou a assinatura ou o verify token está errado. Confira a configuração do webhook.',
  },
  webhook_endpoint_not_found: {
    title: 'Endpoint de webhook não encontrado',
    description: 'A loja não tem nenhum endpoint de webhook com este id. Confira o id.',
  },
  webhook_endpoint_limit: {
    title: 'Endpoints de webhook demais',
    description: 'A loja já tem 50 endpoints de webhook e não pode ter mais. Exclua ou altere um deles.',
  },
  webhook_endpoint_not_enabled: {
    title: 'Endpoint de webhook não está ativo',
    description:
      'O endpoint de webhook está com o status em `current_status`, por isso nada é enviado a ele. Mude antes o ' +
      '`status` dele para `enabled`.',
  },
  webhook_delivery_not_found: {
    title: 'Entrega de webhook não encontrada',
    description:
      'O endpoint de webhook não tem nenhuma entrega com este id. As entregas ficam guardadas por 30 dias. Confira os dois ids.',
  },
  webhook_replay_not_found: {
    title: 'Reenvio não encontrado',
    description: 'O endpoint de webhook não tem nenhum reenvio com este id. Confira os dois ids.',
  },
  sandbox_not_found: {
    title: 'Sandbox não encontrado',
    description: 'Nenhum sandbox tem este endereço, ou ele foi substituído. Use o endereço atual do sandbox da loja.',
  },
  sandbox_phone_taken: {
    title: 'O telefone não é do sandbox',
    description:
      'A loja tem um lead com este telefone que o telefone do sandbox não criou, e o telefone desta plataforma escreve só ' +
      'como seus próprios clientes. Escreva com um telefone que nenhum lead tenha.',
  },
  user_not_found: {
    title: 'Usuário não encontrado',
    description: 'Nenhum usuário tem este endereço de e-mail nesta loja. Confira os dois.',
  },
  user_exists: {
    title: 'A pessoa já está na loja',
    description: 'Uma pessoa com este endereço de e-mail já está na loja. Altere a pessoa cujo id está em `id`.',
  },
  user_disabled: {
    title: 'Pessoa desativada',
    description:
      'O operador desativou a pessoa em todas as lojas, então nenhum link de acesso funcionaria. Fale com o operador.',
  },
  last_owner: {
    title: 'Última proprietária',
    description: 'A pessoa é a única proprietária da loja, que precisa de uma. Dê antes esse papel a outra pessoa.',
  },
  user_session_not_found: {
    title: 'Sessão não encontrada',
    description: 'Você não tem uma sessão aberta com este id. Confira o id.',
  },
  invalid_session: {
    title: 'Não conectado',
    description: 'Não há sessão, ou ela terminou. Entre com um novo link de acesso.',
  },
  invalid_login_link: {
    title: 'Link de acesso inválido',
    description:
      'O link de acesso é desconhecido, já foi usado ou expirou; a resposta não diz qual. Peça um novo link.',
  },
  invalid_credentials: {
    title: 'Não foi possível entrar',
    description:
      'O endereço de e-mail é desconhecido, ou a senha ou chave de acesso está errada; a resposta não diz qual. Tente de ' +
      'novo ou peça um link de acesso.',
  },
  wrong_password: {
    title: 'Senha errada',
    description: 'A senha atual está errada. Tente de novo ou entre com um link de acesso para definir outra.',
  },
  proof_required: {
    title: 'Falta uma prova',
    description:
      'Isto muda como você entra, por isso exige uma prova de que é você. Informe a senha atual ou entre de novo.',
  },
  passkey_rejected: {
    title: 'Chave de acesso não aceita',
    description:
      'O que o navegador respondeu não pertence a um pedido desta sessão nos últimos 5 minutos ou não é válido. Comece ' +
      'de novo.',
  },
  passkey_not_found: {
    title: 'Chave de acesso não encontrada',
    description: 'Você não tem nenhuma chave de acesso com este id. Confira o id.',
  },
  passkey_limit: {
    title: 'Chaves de acesso demais',
    description: 'Você tem 20 chaves de acesso e não pode ter mais. Remova uma delas.',
  },
  passkeys_unavailable: {
    title: 'Sem chaves de acesso aqui',
    description:
      'O endereço do console é um endereço IP, para o qual os navegadores não criam chaves de acesso. Use um nome de host.',
  },
  oidc_not_configured: {
    title: 'Sem provedor OpenID',
    description: 'Esta instalação não tem um provedor OpenID para entrar. Entre de outra forma.',
  },
  oidc_unavailable: {
    title: 'Provedor OpenID indisponível',
    description:
      'O provedor OpenID não responde, ou não responde como deveria. Você não entrou. Tente mais tarde ou entre de outra ' +
      'forma.',
  },
  oidc_failed: {
    title: 'Não foi possível entrar',
    description:
      'O que voltou do provedor OpenID não é válido ou não pertence a uma entrada deste navegador nos últimos 10 minutos. ' +
      'Comece de novo.',
  },
  oidc_cancelled: {
    title: 'Entrada cancelada',
    description: 'A entrada foi interrompida ou recusada no provedor OpenID. Comece de novo ou entre de outra forma.',
  },
  oidc_email_unverified: {
    title: 'E-mail não verificado',
    description:
      'O provedor OpenID não confirma nenhum endereço de e-mail desta conta. Verifique o endereço lá ou fale com o operador.',
  },
  oidc_refused: {
    title: 'Sem acesso com esta conta',
    description:
      'Nenhuma pessoa que pode entrar tem esta conta do provedor OpenID. Peça a um proprietário da loja que convide o e-mail ' +
      'dela ou fale com o operador.',
  },
  role_required: {
    title: 'Papel insuficiente',
    description: 'Seu papel na loja não permite isso. Peça a uma pessoa com o papel em `required_role`.',
  },
  cross_site_request: {
    title: 'Requisição de outro site',
    description:
      'A requisição altera algo, e seus cabeçalhos não dizem que ela vem de uma página deste endereço. Envie-a pelo ' +
      'console: o navegador então acrescenta `Sec-Fetch-Site: same-origin`, ou este endereço como `Origin`.',
  },
  store_not_found: {
    title: 'Loja não encontrada',
    description: 'Nenhuma loja tem este id. Confira o id.',
  },
  api_key_not_found: {
    title: 'Chave de API não encontrada',
    description: 'Nenhuma chave de API tem este id. Confira o id.',
  },
  api_key_limit: {
    title: 'Chaves de API demais',
    description: 'A loja já tem 100 chaves de API válidas e não pode ter mais. Revogue uma que não é usada.',
  },
  idempotency_key_reused: {
    title: 'Chave de idempotência usada em outra requisição',
    description: 'Esta `Idempotency-Key` já foi usada com outro corpo. Use uma chave nova para uma requisição nova.',
  },
  idempotency_in_progress: {
    title: 'A primeira requisição ainda está em andamento',
    description:
      'A primeira requisição com esta `Idempotency-Key` ainda está em andamento. Tente de novo depois de `Retry-After` segundos.',
  },
  version_mismatch: {
    title: 'Versão diferente',
    description:
      '`If-Match` não traz a versão atual ou, com `If-None-Match: *`, o lead já existe. Leia o recurso de novo e use o novo ETag, ou use o lead cujo id está em `id`.',
  },
  internal_error: {
    title: 'Erro interno',
    description: 'O servidor não conseguiu tratar a requisição. Informe o `request_id` ao operador.',
  },
  service_unavailable: {
    title: 'Serviço indisponível',
    description:
      'Uma parte da plataforma está fora do ar ou sobrecarregada. A requisição não teve efeito. Tente de novo depois de `Retry-After` segundos.',
  },
  upstream_timeout: {
    title: 'Resultado desconhecido',
    description:
      'Nenhuma resposta chegou a tempo, então a requisição pode ter tido efeito ou não. ' +
      'Tente de novo com a mesma `Idempotency-Key`, ou leia o recurso para ver o resultado.',
  },
};
