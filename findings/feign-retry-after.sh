#!/usr/bin/env bash
# Feign reads Retry-After: with that header, its default error decoder makes a 429 an error that is retried, for a POST
# too. Its `Retryer.Default` then shortens the wait to one second, the longest pause of its own backoff, whatever the
# header says. So a server that asks for an hour gets four more requests within a few seconds. A server that sends 429
# without the header gets none.
#
# Starts a server on 127.0.0.1 that answers with 429, and sends a POST to it with Retry-After and one without. Exits with
# 0 as long as the behaviour is the one below:
#
#   feign-core 13.13, Retry-After: 3600    5 requests within a minute
#   feign-core 13.13, no Retry-After       1 request
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p src/main/java
cat > pom.xml <<'XML'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>finding</groupId>
  <artifactId>feign-retry-after</artifactId>
  <version>0</version>
  <properties>
    <maven.compiler.source>17</maven.compiler.source>
    <maven.compiler.target>17</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>
      <groupId>io.github.openfeign</groupId>
      <artifactId>feign-core</artifactId>
      <version>13.13</version>
    </dependency>
  </dependencies>
</project>
XML
cat > src/main/java/Ask.java <<'JAVA'
import com.sun.net.httpserver.HttpServer;
import feign.Feign;
import feign.FeignException;
import feign.RequestLine;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;

public final class Ask {
  interface Pets {
    @RequestLine("POST /with")
    String addWithRetryAfter(String pet);

    @RequestLine("POST /without")
    String addWithout(String pet);
  }

  public static void main(String[] arguments) throws Exception {
    var with = new AtomicInteger();
    var without = new AtomicInteger();
    var server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext("/with", exchange -> {
      with.incrementAndGet();
      exchange.getRequestBody().readAllBytes();
      exchange.getResponseHeaders().set("Retry-After", "3600");
      exchange.sendResponseHeaders(429, -1);
      exchange.close();
    });
    server.createContext("/without", exchange -> {
      without.incrementAndGet();
      exchange.getRequestBody().readAllBytes();
      exchange.sendResponseHeaders(429, -1);
      exchange.close();
    });
    server.start();
    Pets pets = Feign.builder().target(Pets.class, "http://127.0.0.1:" + server.getAddress().getPort());
    long beganMs = System.currentTimeMillis();
    try {
      pets.addWithRetryAfter("{}");
    } catch (FeignException error) {
      System.err.println(error.status() + " after " + (System.currentTimeMillis() - beganMs) + " ms");
    }
    boolean isSoon = System.currentTimeMillis() - beganMs < 60_000;
    try {
      pets.addWithout("{}");
    } catch (FeignException error) {
      System.err.println(error.status());
    }
    System.out.println("Retry-After: 3600: " + with + " requests" + (isSoon ? " within a minute" : ""));
    System.out.println("no Retry-After: " + without + " request");
    server.stop(0);
  }
}
JAVA
mvn --quiet --batch-mode compile dependency:build-classpath -Dmdep.outputFile=packages
java -version 2>&1 | head -n 1
java -cp "target/classes:$(cat packages)" Ask | tee seen

cat > expected <<'END'
Retry-After: 3600: 5 requests within a minute
no Retry-After: 1 request
END
diff expected seen
