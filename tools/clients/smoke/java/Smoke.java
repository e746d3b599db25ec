import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.LeadsApi;
import org.openapitools.client.api.MessagesApi;
import org.openapitools.client.api.StoreApi;
import org.openapitools.client.model.*;

/** Calls the API with the client that openapi-generator made for Java. */
public class Smoke {
  interface Call {
    void run() throws ApiException;
  }

  static void check(boolean holds, Object got) {
    if (!holds) throw new AssertionError(got);
  }

  /** The body of a refused call. */
  static String refused(int status, Call call) {
    try {
      call.run();
    } catch (ApiException error) {
      check(error.getCode() == status, error);
      return error.getResponseBody();
    }
    throw new AssertionError("the call was not refused with " + status);
  }

  public static void main(String[] arguments) throws Exception {
    String phone = System.getenv("SMOKE_PHONE");
    UUID writer = UUID.fromString(System.getenv("SMOKE_LEAD_ID"));
    ApiClient client = new ApiClient();
    client.setApiKey(System.getenv("SMOKE_KEY"));
    LeadsApi leads = new LeadsApi(client);
    MessagesApi messages = new MessagesApi(client);
    CreateLeadRequest request = new CreateLeadRequest().name("Ana Lima").customerPhone(phone);

    Lead lead = leads.leadsCreate(request).execute();
    check(lead.getStatus() == LeadStatus.LEAD_STATUS_PENDING && lead.getSellerId() == null, lead);

    LeadList page = leads.leadsList().customerPhone(phone).sort(LeadSort.LEAD_SORT_CREATED_AT_DESC).execute();
    check(page.getTotal() == 1 && page.getData().get(0).getId().equals(lead.getId()), page);

    SendMessageResponse answer = messages.messagesSend(writer, new SendMessageRequest().message("Até amanhã! 👋")).execute();
    check(answer.getError() == null, answer);
    Message message = messages.messagesGet(writer, answer.getId()).execute();
    check(message.getSource() == MessageSource.MESSAGE_SOURCE_API && message.getReason() == null, message);

    ConflictProblem conflict = ConflictProblem.fromJson(refused(409, () -> leads.leadsCreate(request).execute()));
    check(conflict.getCode().equals("lead_exists") && lead.getId().equals(conflict.getId()), conflict);

    ValidationProblem invalid = ValidationProblem.fromJson(
        refused(400, () -> leads.leadsList().page(2).cursor("unknown").execute()));
    check(invalid.getErrors().get(0).getIn() == FaultPlace.FAULT_PLACE_QUERY, invalid);

    Store store = new StoreApi(client).storesGet().execute();
    check(store.getTier() == StoreTier.STORE_TIER_PRO && store.getCalendar().getProvider() == null, store);
  }
}
