// Calls the API with the client that openapi-generator made for Go.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	mostrador "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func check(holds bool, what string, got any) {
	if !holds {
		panic(fmt.Sprintf("%s: %+v", what, got))
	}
}

// modelOf returns the typed problem of a refused call.
func modelOf[Problem any](err error) Problem {
	var refused *mostrador.GenericOpenAPIError
	check(errors.As(err, &refused), "no error of the API", err)
	problem, isTyped := refused.Model().(Problem)
	check(isTyped, "the problem has another type", string(refused.Body()))
	return problem
}

func main() {
	phone, writer := os.Getenv("SMOKE_PHONE"), os.Getenv("SMOKE_LEAD_ID")
	ctx := context.WithValue(context.Background(), mostrador.ContextAPIKeys, map[string]mostrador.APIKey{
		"ApiKey": {Key: os.Getenv("SMOKE_KEY")},
	})
	client := mostrador.NewAPIClient(mostrador.NewConfiguration())
	create := client.LeadsAPI.LeadsCreate(ctx).CreateLeadRequest(*mostrador.NewCreateLeadRequest("Ana Lima", phone))

	lead, _, err := create.Execute()
	check(err == nil, "the lead was not created", err)
	check(lead.Status == mostrador.LEAD_STATUS_PENDING && !lead.SellerId.IsSet() || lead.SellerId.Get() == nil, "the lead", lead)

	page, _, err := client.LeadsAPI.LeadsList(ctx).CustomerPhone(phone).Sort(mostrador.LEAD_SORT_CREATED_AT_DESC).Execute()
	check(err == nil, "the leads were not listed", err)
	check(page.Total == 1 && page.Data[0].Id == lead.Id, "the list", page)

	send := mostrador.NewSendMessageRequest()
	send.SetMessage("Até amanhã! 👋")
	answer, _, err := client.MessagesAPI.MessagesSend(ctx, writer).SendMessageRequest(*send).Execute()
	check(err == nil, "the message was not sent", err)
	check(answer.Error.Get() == nil, "the answer", answer)
	message, _, err := client.MessagesAPI.MessagesGet(ctx, writer, answer.Id).Execute()
	check(err == nil, "the message was not read", err)
	check(message.Source == mostrador.MESSAGE_SOURCE_API && message.Reason.Get() == nil, "the message", message)

	_, _, err = create.Execute()
	conflict := modelOf[mostrador.ConflictProblem](err)
	check(conflict.Code == "lead_exists" && conflict.GetId() == lead.Id, "the conflict", conflict)

	_, _, err = client.LeadsAPI.LeadsList(ctx).Page(2).Cursor("unknown").Execute()
	faults := modelOf[mostrador.ValidationProblem](err).Errors
	check(len(faults) > 0 && faults[0].GetIn() == mostrador.FAULT_PLACE_QUERY, "the faults", faults)

	store, _, err := client.StoreAPI.StoresGet(ctx).Execute()
	check(err == nil, "the store was not read", err)
	check(store.Tier == mostrador.STORE_TIER_PRO && store.Calendar.Provider.Get() == nil, "the store", store)
}
