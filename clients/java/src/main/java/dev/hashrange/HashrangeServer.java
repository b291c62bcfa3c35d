package dev.hashrange;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** A DynamoDB in memory, in a process of its own. It ends with close(), or with this process. */
public final class HashrangeServer implements AutoCloseable {
    private static final String ENDPOINT = "TEST_HASHRANGE_ENDPOINT";
    private static final String COMMAND = "TEST_HASHRANGE_COMMAND";
    private static final List<String> SERVE = List.of(
            "serve", "--memory", "--port", "0", "--namespaces", "separate",
            "--stop-with-input", "--log-level", "warning");
    private static final String LISTENS_ON = " listens on ";

    private final URI endpoint;
    private final Process process;

    private HashrangeServer(URI endpoint, Process process) {
        this.endpoint = endpoint;
        this.process = process;
    }

    /**
     * Starts a server, or connects to the one at TEST_HASHRANGE_ENDPOINT, which needs --namespaces
     * separate. The program is TEST_HASHRANGE_COMMAND, as "uvx hashrange", or else that of the PATH.
     */
    public static HashrangeServer start() throws IOException {
        String running = System.getenv(ENDPOINT);
        if (running != null && !running.isBlank()) {
            return new HashrangeServer(URI.create(running.strip()), null);
        }
        String named = System.getenv(COMMAND);
        String command = named == null || named.isBlank() ? "hashrange" : named.strip();
        List<String> words = new ArrayList<>(List.of(command.split("\\s+")));
        words.addAll(SERVE);
        Process process = new ProcessBuilder(words)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        var output = new BufferedReader(new InputStreamReader(process.getInputStream()));
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            int found = line.indexOf(LISTENS_ON);
            if (found >= 0) {
                return new HashrangeServer(
                        URI.create(line.substring(found + LISTENS_ON.length())), process);
            }
        }
        throw new IOException("hashrange did not start; what it said is above");
    }

    /** For DynamoDbClient.builder().endpointOverride(...). */
    public URI endpoint() {
        return endpoint;
    }

    /** An access key whose account has no tables yet. */
    public String newAccount() {
        return Long.toString(
                ThreadLocalRandom.current().nextLong(100_000_000_000L, 1_000_000_000_000L));
    }

    @Override
    public void close() throws IOException, InterruptedException {
        if (process != null) {
            process.getOutputStream().close();
            process.waitFor();
        }
    }
}
