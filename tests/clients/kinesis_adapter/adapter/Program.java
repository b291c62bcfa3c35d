package adapter;

import com.amazonaws.auth.AWSStaticCredentialsProvider;
import com.amazonaws.auth.BasicAWSCredentials;
import com.amazonaws.client.builder.AwsClientBuilder.EndpointConfiguration;
import com.amazonaws.services.dynamodbv2.AmazonDynamoDB;
import com.amazonaws.services.dynamodbv2.AmazonDynamoDBClientBuilder;
import com.amazonaws.services.dynamodbv2.AmazonDynamoDBStreams;
import com.amazonaws.services.dynamodbv2.AmazonDynamoDBStreamsClientBuilder;
import com.amazonaws.services.dynamodbv2.streamsadapter.AmazonDynamoDBStreamsAdapterClient;
import com.amazonaws.services.dynamodbv2.streamsadapter.StreamsWorkerFactory;
import com.amazonaws.services.dynamodbv2.streamsadapter.model.RecordAdapter;
import com.amazonaws.services.kinesis.clientlibrary.interfaces.v2.IRecordProcessor;
import com.amazonaws.services.kinesis.clientlibrary.lib.worker.InitialPositionInStream;
import com.amazonaws.services.kinesis.clientlibrary.lib.worker.KinesisClientLibConfiguration;
import com.amazonaws.services.kinesis.clientlibrary.lib.worker.ShutdownReason;
import com.amazonaws.services.kinesis.clientlibrary.lib.worker.Worker;
import com.amazonaws.services.kinesis.clientlibrary.types.InitializationInput;
import com.amazonaws.services.kinesis.clientlibrary.types.ProcessRecordsInput;
import com.amazonaws.services.kinesis.clientlibrary.types.ShutdownInput;
import com.amazonaws.services.kinesis.metrics.impl.NullMetricsFactory;
import com.amazonaws.services.kinesis.model.Record;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * The Kinesis adapter as people run it: a worker that keeps leases and checkpoints in a table of its
 * own, reads parents before children, and goes on where it was. It ends once it has seen as many
 * records as it is told to, and prints them: item, number, kind of change.
 */
public final class Program {
  private static final List<String> SEEN = Collections.synchronizedList(new ArrayList<>());

  private Program() {}

  public static void main(String[] arguments) throws Exception {
    EndpointConfiguration endpoint = new EndpointConfiguration(arguments[0], "us-east-1");
    CountDownLatch left = new CountDownLatch(Integer.parseInt(arguments[2]));
    AWSStaticCredentialsProvider credentials =
        new AWSStaticCredentialsProvider(new BasicAWSCredentials("local", "local"));
    AmazonDynamoDB dynamodb =
        AmazonDynamoDBClientBuilder.standard()
            .withEndpointConfiguration(endpoint)
            .withCredentials(credentials)
            .build();
    AmazonDynamoDBStreams streams =
        AmazonDynamoDBStreamsClientBuilder.standard()
            .withEndpointConfiguration(endpoint)
            .withCredentials(credentials)
            .build();
    KinesisClientLibConfiguration configuration =
        new KinesisClientLibConfiguration("consumer", arguments[1], credentials, "worker")
            .withInitialPositionInStream(InitialPositionInStream.TRIM_HORIZON)
            .withMaxRecords(7)
            .withIdleTimeBetweenReadsInMillis(50)
            .withShardSyncIntervalMillis(300)
            .withParentShardPollIntervalMillis(300)
            .withFailoverTimeMillis(1000)
            .withTaskBackoffTimeMillis(100);
    ExecutorService threads = Executors.newCachedThreadPool();
    Worker worker =
        StreamsWorkerFactory.createDynamoDbStreamsWorker(
            () -> new Processor(left),
            configuration,
            new AmazonDynamoDBStreamsAdapterClient(streams),
            dynamodb,
            new NullMetricsFactory(),
            threads);
    threads.submit(worker);
    boolean all = left.await(60, TimeUnit.SECONDS);
    worker.startGracefulShutdown().get(30, TimeUnit.SECONDS);
    threads.shutdownNow();
    System.out.println("[" + String.join(",", SEEN) + "]");
    System.exit(all ? 0 : 1);
  }

  private static final class Processor implements IRecordProcessor {
    private final CountDownLatch left;

    Processor(CountDownLatch left) {
      this.left = left;
    }

    @Override
    public void initialize(InitializationInput input) {}

    @Override
    public void processRecords(ProcessRecordsInput input) {
      for (Record record : input.getRecords()) {
        com.amazonaws.services.dynamodbv2.model.Record change =
            ((RecordAdapter) record).getInternalObject();
        SEEN.add(
            String.format(
                "[\"%s\",\"%s\",\"%s\"]",
                change.getDynamodb().getKeys().get("pk").getS(),
                change.getDynamodb().getSequenceNumber(),
                change.getEventName()));
        left.countDown();
      }
      try {
        if (!input.getRecords().isEmpty()) {
          input.getCheckpointer().checkpoint();
        }
      } catch (Exception error) {
        throw new IllegalStateException(error);
      }
    }

    @Override
    public void shutdown(ShutdownInput input) {
      if (input.getShutdownReason() != ShutdownReason.TERMINATE) {
        return;
      }
      try {
        input.getCheckpointer().checkpoint();
      } catch (Exception error) {
        throw new IllegalStateException(error);
      }
    }
  }
}
