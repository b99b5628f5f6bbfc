import feign.Feign;
import feign.RequestLine;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.apache.hc.core5.http.io.support.ClassicRequestBuilder;

/**
 * Sends one request with each client as it comes, with nothing set. Each client gets a path of its own below the address
 * given, so that the server can tell them apart.
 */
public final class Defaults {
  private static final String PET = "{\"name\":\"Pixel\",\"categoryId\":2}";

  interface Ask {
    void at(String url) throws Exception;
  }

  interface Pets {
    @RequestLine("GET")
    String list();

    @RequestLine("POST")
    String add(String pet);
  }

  public static void main(String[] arguments) throws Exception {
    String server = arguments[0];
    boolean isPost = arguments[1].equals("POST");
    Map<String, Ask> clients = new LinkedHashMap<>();
    clients.put("Apache HttpClient", url -> {
      try (var client = HttpClients.createDefault()) {
        var request = ClassicRequestBuilder.create(arguments[1]).setUri(url);
        if (isPost) request.setEntity(new StringEntity(PET, ContentType.APPLICATION_JSON));
        client.execute(request.build(), response -> response.getCode());
      }
    });
    clients.put("Feign", url -> {
      Pets pets = Feign.builder().target(Pets.class, url);
      if (isPost) pets.add(PET);
      else pets.list();
    });
    clients.put("java.net.http", url -> {
      var request = HttpRequest.newBuilder(URI.create(url));
      if (isPost) request.POST(HttpRequest.BodyPublishers.ofString(PET));
      HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    });
    clients.put("HttpURLConnection", url -> {
      var connection = (HttpURLConnection) URI.create(url).toURL().openConnection();
      if (isPost) {
        connection.setDoOutput(true);
        connection.getOutputStream().write(PET.getBytes(StandardCharsets.UTF_8));
      }
      connection.getResponseCode();
    });
    var threads = clients.entrySet().stream().map(client -> new Thread(() -> {
      try {
        client.getValue().at(server + "/" + client.getKey().replace(" ", "%20"));
      } catch (Exception error) {
        System.err.println(client.getKey() + ": " + error);
      }
    })).toList();
    for (Thread thread : threads) thread.start();
    for (Thread thread : threads) thread.join();
  }
}
