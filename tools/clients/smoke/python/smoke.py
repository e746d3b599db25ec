"""Calls the API with the client that openapi-generator made for Python."""

import os

import openapi_client as mostrador
from openapi_client.exceptions import BadRequestException, ConflictException

phone = os.environ["SMOKE_PHONE"]
configuration = mostrador.Configuration(api_key={"ApiKey": os.environ["SMOKE_KEY"]})
with mostrador.ApiClient(configuration) as client:
    leads, messages = mostrador.LeadsApi(client), mostrador.MessagesApi(client)

    lead = leads.leads_create(mostrador.CreateLeadRequest(name="Ana Lima", customer_phone=phone))
    assert lead.status is mostrador.LeadStatus.LEAD_STATUS_PENDING and lead.seller_id is None, lead

    page = leads.leads_list(customer_phone=phone, sort=mostrador.LeadSort.LEAD_SORT_CREATED_AT_DESC)
    assert isinstance(page, mostrador.LeadList) and page.total == 1 and page.data[0].id == lead.id, page

    writer = os.environ["SMOKE_LEAD_ID"]
    answer = messages.messages_send(writer, mostrador.SendMessageRequest(message="Até amanhã! 👋"))
    assert isinstance(answer, mostrador.SendMessageResponse) and answer.error is None, answer
    message = messages.messages_get(writer, answer.id)
    assert message.source is mostrador.MessageSource.MESSAGE_SOURCE_API and message.reason is None and message.error is None, message

    try:
        leads.leads_create(mostrador.CreateLeadRequest(name="Ana Lima", customer_phone=phone))
        raise AssertionError("the second lead with this phone was created")
    except ConflictException as error:
        problem = error.data
        assert isinstance(problem, mostrador.ConflictProblem), problem
        assert problem.code == "lead_exists" and problem.id == lead.id, problem

    try:
        leads.leads_list(page=2, cursor="unknown")
        raise AssertionError("page and cursor were accepted together")
    except BadRequestException as error:
        problem = error.data
        assert isinstance(problem, mostrador.ValidationProblem) and problem.errors, problem
        assert problem.errors[0].var_in is mostrador.FaultPlace.FAULT_PLACE_QUERY, problem

    store = mostrador.StoreApi(client).stores_get()
    assert store.tier is mostrador.StoreTier.STORE_TIER_PRO and store.calendar.provider is None, store
