package mapper;

import com.amazonaws.ClientConfiguration;
import com.amazonaws.auth.AWSStaticCredentialsProvider;
import com.amazonaws.auth.BasicAWSCredentials;
import com.amazonaws.client.builder.AwsClientBuilder.EndpointConfiguration;
import com.amazonaws.services.dynamodbv2.AmazonDynamoDB;
import com.amazonaws.services.dynamodbv2.AmazonDynamoDBClientBuilder;
import com.amazonaws.services.dynamodbv2.model.ConditionalCheckFailedException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What version 1 of the Java SDK sees of a server: its mapper and its document API, which both speak in
 * parameters from before expressions. Prints one JSON object with what each step saw.
 */
public final class Program {
    /** A step: what it saw, as maps, lists, text, numbers. */
    interface Step {
        Object run() throws Exception;
    }

    public static void main(String[] arguments) throws Exception {
        AmazonDynamoDB client = AmazonDynamoDBClientBuilder.standard()
                .withEndpointConfiguration(new EndpointConfiguration(arguments[0], "us-east-1"))
                .withClientConfiguration(new ClientConfiguration().withGzip(true).withMaxErrorRetry(0))
                .withCredentials(new AWSStaticCredentialsProvider(new BasicAWSCredentials("local", "local")))
                .build();
        Map<String, Step> steps = new LinkedHashMap<>();
        new MapperSteps(client).addTo(steps);
        new DocumentSteps(client).addTo(steps);
        Map<String, Object> seen = new LinkedHashMap<>();
        steps.forEach((name, step) -> seen.put(name, outcome(step)));
        new PrintStream(System.out, true, StandardCharsets.UTF_8)
                .println(new ObjectMapper().writeValueAsString(seen));
    }

    private static Object outcome(Step step) {
        try {
            return step.run();
        } catch (Exception error) {
            error.printStackTrace();
            return Map.of("error", error.toString());
        }
    }

    /** The code and the text of a condition that failed. */
    static String refusal(Runnable call) {
        try {
            call.run();
        } catch (ConditionalCheckFailedException error) {
            return error.getErrorCode() + ": " + error.getErrorMessage();
        }
        return "nothing was refused";
    }

    private Program() {}
}
