import feign.Feign;
import feign.Headers;
import feign.Param;
import feign.RequestLine;
import feign.RetryableException;
import feign.Retryer;
import java.util.UUID;

public final class FeignClient {
  interface Pets {
    @RequestLine("POST /v1/pets")
    @Headers({"Authorization: Bearer {key}", "Content-Type: application/json", "Idempotency-Key: {idempotencyKey}"})
    String add(String pet, @Param("key") String key, @Param("idempotencyKey") String idempotencyKey);
  }

  static final class PatientRetryer implements Retryer {
    private int attempt = 0;

    @Override
    public void continueOrPropagate(RetryableException error) {
      // Without Retry-After, the connection broke: one second, two, four.
      long waitMs = error.retryAfter() == null ? 1000L << attempt : error.retryAfter() - System.currentTimeMillis();
      if (++attempt > 3 || waitMs > 60_000) throw error;
      try {
        Thread.sleep(Math.max(0, waitMs));
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw error;
      }
    }

    @Override
    public Retryer clone() {
      return new PatientRetryer();
    }
  }

  public static void main(String[] arguments) {
    Pets pets = Feign.builder().retryer(new PatientRetryer()).target(Pets.class, System.getenv("BASE_URL"));
    String key = System.getenv("API_KEY");
    System.out.println("added " + pets.add("{\"name\":\"Pixel\",\"categoryId\":2}", key, UUID.randomUUID().toString()));
  }
}
