import java.util.UUID;
import org.apache.hc.client5.http.impl.DefaultHttpRequestRetryStrategy;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.apache.hc.core5.http.io.support.ClassicRequestBuilder;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.util.TimeValue;

public final class Apache {
  public static void main(String[] arguments) throws Exception {
    var strategy = new DefaultHttpRequestRetryStrategy(3, TimeValue.ofSeconds(1)) {
      @Override
      public boolean retryRequest(HttpResponse response, int execCount, HttpContext context) {
        return getRetryInterval(response, execCount, context).toSeconds() <= 60
            && super.retryRequest(response, execCount, context);
      }
    };
    try (var client = HttpClients.custom().setRetryStrategy(strategy).build()) {
      var request = ClassicRequestBuilder.post(System.getenv("BASE_URL") + "/v1/pets")
          .addHeader("Authorization", "Bearer " + System.getenv("API_KEY"))
          .addHeader("Idempotency-Key", UUID.randomUUID().toString())
          .setEntity(new StringEntity("{\"name\":\"Pixel\",\"categoryId\":2}", ContentType.APPLICATION_JSON))
          .build();
      System.out.println("added " + client.execute(request, response -> {
        String body = EntityUtils.toString(response.getEntity());
        if (response.getCode() != 201) throw new IllegalStateException(body);
        return body;
      }));
    }
  }
}
