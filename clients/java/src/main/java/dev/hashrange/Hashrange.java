package dev.hashrange;

import java.io.IOException;
import java.net.URI;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/**
 * Gives a DynamoDbClient to each test that has a parameter of this type: the client of an account
 * without tables, on one server for all tests. Parameters of one test have one account.
 */
public final class Hashrange implements ParameterResolver {
    private static final Namespace OWN = Namespace.create(Hashrange.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == DynamoDbClient.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        // JUnit closes what its stores hold: the client after the test, the server after all.
        return context.getStore(OWN).getOrComputeIfAbsent(
                Client.class, key -> new Client(server(context)), Client.class).client;
    }

    private static HashrangeServer server(ExtensionContext context) {
        return context.getRoot().getStore(OWN).getOrComputeIfAbsent(
                Started.class, key -> new Started(), Started.class).server;
    }

    private static final class Started implements ExtensionContext.Store.CloseableResource {
        final HashrangeServer server;

        Started() {
            try {
                server = HashrangeServer.start();
            } catch (IOException error) {
                throw new ParameterResolutionException(
                        error.getMessage() + ": install hashrange, or set TEST_HASHRANGE_COMMAND", error);
            }
        }

        @Override
        public void close() throws Exception {
            server.close();
        }
    }

    private static final class Client implements ExtensionContext.Store.CloseableResource {
        final DynamoDbClient client;

        Client(HashrangeServer server) {
            URI endpoint = server.endpoint();
            client = DynamoDbClient.builder()
                    .endpointOverride(endpoint)
                    .region(Region.US_EAST_1)
                    .credentialsProvider(StaticCredentialsProvider.create(
                            AwsBasicCredentials.create(server.newAccount(), "local")))
                    .build();
        }

        @Override
        public void close() {
            client.close();
        }
    }
}
