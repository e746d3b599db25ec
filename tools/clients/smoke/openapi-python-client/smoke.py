"""Calls the API with the client that openapi-python-client made."""

import os
from uuid import UUID

from mostrador_client import AuthenticatedClient
from mostrador_client.api.leads import leads_create, leads_list
from mostrador_client.api.messages import messages_get, messages_send
from mostrador_client.api.store import stores_get
from mostrador_client.models import (
    ConflictProblem,
    CreateLeadRequest,
    FaultPlace,
    Lead,
    LeadList,
    LeadSort,
    LeadStatus,
    Message,
    MessageSource,
    SendMessageRequest,
    SendMessageResponse,
    Store,
    StoreTier,
    ValidationProblem,
)

phone, writer = os.environ["SMOKE_PHONE"], UUID(os.environ["SMOKE_LEAD_ID"])
client = AuthenticatedClient(
    base_url=os.environ["SMOKE_BASE_URL"], token=os.environ["SMOKE_KEY"], prefix="", auth_header_name="X-API-Key"
)
with client:
    lead = leads_create.sync(client=client, body=CreateLeadRequest(name="Ana Lima", customer_phone=phone))
    assert isinstance(lead, Lead) and lead.status is LeadStatus.LEAD_STATUS_PENDING and lead.seller_id is None, lead

    page = leads_list.sync(client=client, customer_phone=phone, sort=LeadSort.LEAD_SORT_CREATED_AT_DESC)
    assert isinstance(page, LeadList) and page.total == 1 and page.data[0].id == lead.id, page

    answer = messages_send.sync(writer, client=client, body=SendMessageRequest(message="Até amanhã! 👋"))
    assert isinstance(answer, SendMessageResponse) and answer.error is None, answer
    message = messages_get.sync(writer, answer.id, client=client)
    assert isinstance(message, Message) and message.source is MessageSource.MESSAGE_SOURCE_API, message
    assert message.reason is None and message.error is None, message

    problem = leads_create.sync(client=client, body=CreateLeadRequest(name="Ana Lima", customer_phone=phone))
    assert isinstance(problem, ConflictProblem), problem
    assert problem.code == "lead_exists" and problem.id == lead.id, problem

    problem = leads_list.sync(client=client, page=2, cursor="unknown")
    assert isinstance(problem, ValidationProblem) and problem.errors, problem
    assert problem.errors[0].in_ is FaultPlace.FAULT_PLACE_QUERY, problem

    store = stores_get.sync(client=client)
    assert isinstance(store, Store) and store.tier is StoreTier.STORE_TIER_PRO and store.calendar.provider is None, store
