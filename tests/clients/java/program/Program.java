package program;

import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.client.builder.AwsClientBuilder;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.DefaultRetryStrategy;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.streams.DynamoDbStreamsClient;

/**
 * What the Java SDK sees of a server: runs its steps one after the other against the endpoint given as
 * argument, and prints one JSON object with what each of them saw. Comparing is pytest's.
 */
public final class Program {
    /** A step: what it saw, as maps, lists, text, numbers. */
    interface Step {
        Object run() throws Exception;
    }

    public static void main(String[] arguments) throws Exception {
        String endpoint = arguments[0];
        Map<String, Step> steps = new LinkedHashMap<>();
        try (DynamoDbClient apache = at(endpoint, DynamoDbClient.builder())
                        .httpClient(Apache5HttpClient.create()).build();
                DynamoDbClient plain = at(endpoint, DynamoDbClient.builder())
                        .httpClient(UrlConnectionHttpClient.create()).build();
                DynamoDbStreamsClient streams = at(endpoint, DynamoDbStreamsClient.builder())
                        .httpClient(UrlConnectionHttpClient.create()).build();
                DynamoDbAsyncClient netty = at(endpoint, DynamoDbAsyncClient.builder())
                        .httpClient(NettyNioAsyncHttpClient.create()).build()) {
            new BeanSteps(apache).addTo(steps);
            new ReadingSteps(apache).addTo(steps);
            new TransactionSteps(apache).addTo(steps);
            new PlainSteps(plain, streams).addTo(steps);
            new AsyncSteps(netty).addTo(steps);
            new VectorSteps(plain).addTo(steps);
            Map<String, Object> seen = new LinkedHashMap<>();
            for (Map.Entry<String, Step> step : steps.entrySet()) {
                seen.put(step.getKey(), outcome(step.getValue()));
            }
            new PrintStream(System.out, true, StandardCharsets.UTF_8).println(Json.text(seen));
        }
    }

    private static <B extends AwsClientBuilder<B, ?>> B at(String endpoint, B builder) {
        return builder.endpointOverride(URI.create(endpoint))
                .region(Region.US_EAST_1)
                .credentialsProvider(
                        StaticCredentialsProvider.create(AwsBasicCredentials.create("local", "local")))
                .overrideConfiguration(c -> c.retryStrategy(DefaultRetryStrategy.doNotRetry()));
    }

    private static Object outcome(Step step) {
        try {
            return step.run();
        } catch (Exception error) {
            error.printStackTrace();
            return Map.of("error", error.toString());
        }
    }

    /** What `call` throws, which must be of the kind that is expected. */
    static <E extends Exception> E refusal(Class<E> expected, Step call) throws Exception {
        try {
            call.run();
        } catch (Exception error) {
            if (expected.isInstance(error)) {
                return expected.cast(error);
            }
            throw error;
        }
        throw new IllegalStateException("nothing was refused");
    }

    private Program() {}
}
