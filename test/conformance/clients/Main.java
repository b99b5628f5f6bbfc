import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.PetsApi;
import org.openapitools.client.model.Error;
import org.openapitools.client.model.NewPet;
import org.openapitools.client.model.Pet;

/** What a user of the generated Java client writes: lists, creates with the largest int64, reads it back. */
public class Main {
  public static void main(String[] args) throws ApiException, IOException {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("BASE_URL"));
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + System.getenv("API_KEY")));
    PetsApi api = new PetsApi(client);

    List<Pet> pets = new ArrayList<>();
    Pet created = api.createPet(new NewPet().name("Duke").categoryId(Long.MAX_VALUE), null, null);
    pets.add(created);
    pets.add(api.getPet(created.getId(), null, null));
    pets.addAll(api.listPets(20, null, null, null, null, null, null));
    for (Pet pet : pets)
      System.out.println(pet.getId() + " " + pet.getName() + " " + pet.getCategoryId() + " " + pet.getStatus());
    try {
      api.createPet(new NewPet().name(" ").categoryId(1L), null, null);
    } catch (ApiException refused) {
      System.out.println(refused.getCode() + " " + bodyOf(refused).getCode());
    }
    try {
      api.listPets(20, null, null, null, null, null, null);
    } catch (ApiException limited) {
      String seconds = limited.getResponseHeaders().firstValue("Retry-After").orElse("");
      System.out.println(limited.getCode() + " " + bodyOf(limited).getCode() + " " + seconds);
    }
  }

  private static Error bodyOf(ApiException exception) throws IOException {
    return ApiClient.createDefaultObjectMapper().readValue(exception.getResponseBody(), Error.class);
  }
}
