package streams;

import com.amazonaws.auth.AWSStaticCredentialsProvider;
import com.amazonaws.auth.BasicAWSCredentials;
import com.amazonaws.client.builder.AwsClientBuilder.EndpointConfiguration;
import com.amazonaws.services.dynamodbv2.AmazonDynamoDBClientBuilder;
import com.amazonaws.services.kinesis.AmazonKinesis;
import com.amazonaws.services.kinesis.AmazonKinesisClientBuilder;
import com.amazonaws.services.kinesis.clientlibrary.interfaces.v2.IRecordProcessor;
import com.amazonaws.services.kinesis.clientlibrary.lib.worker.InitialPositionInStream;
import com.amazonaws.services.kinesis.clientlibrary.lib.worker.KinesisClientLibConfiguration;
import com.amazonaws.services.kinesis.clientlibrary.lib.worker.ShutdownReason;
import com.amazonaws.services.kinesis.clientlibrary.lib.worker.Worker;
import com.amazonaws.services.kinesis.clientlibrary.types.InitializationInput;
import com.amazonaws.services.kinesis.clientlibrary.types.ProcessRecordsInput;
import com.amazonaws.services.kinesis.clientlibrary.types.ShutdownInput;
import com.amazonaws.services.kinesis.metrics.impl.NullMetricsFactory;
import com.amazonaws.services.kinesis.model.PutRecordsRequest;
import com.amazonaws.services.kinesis.model.PutRecordsRequestEntry;
import com.amazonaws.services.kinesis.model.Record;
import com.amazonaws.services.kinesis.model.ResourceNotFoundException;
import java.nio.charset.StandardCharsets;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * A Kinesis stream as people use it from Java, in the SDK's own protocol, CBOR: records are put, and
 * a worker of the Kinesis Client Library reads them, with its leases in a table of the same server.
 * It ends once it has seen as many records as were put, and prints them, with their data in Base64.
 * With a fourth argument it puts none: others have.
 */
public final class Program {
  private static final List<String> SEEN = Collections.synchronizedList(new ArrayList<>());

  private Program() {}

  public static void main(String[] arguments) throws Exception {
    EndpointConfiguration endpoint = new EndpointConfiguration(arguments[0], "us-east-1");
    String stream = arguments[1];
    int count = Integer.parseInt(arguments[2]);
    AWSStaticCredentialsProvider credentials =
        new AWSStaticCredentialsProvider(new BasicAWSCredentials("local", "local"));
    AmazonKinesis kinesis =
        AmazonKinesisClientBuilder.standard()
            .withEndpointConfiguration(endpoint)
            .withCredentials(credentials)
            .build();
    if (arguments.length == 3) {
      put(kinesis, stream, count);
    }
    CountDownLatch left = new CountDownLatch(count);
    KinesisClientLibConfiguration configuration =
        // The name is that of the table of leases, which streams cannot share.
        new KinesisClientLibConfiguration("reader-" + stream, stream, credentials, "worker")
            .withInitialPositionInStream(InitialPositionInStream.TRIM_HORIZON)
            .withMaxRecords(7)
            .withIdleTimeBetweenReadsInMillis(50)
            .withShardSyncIntervalMillis(300)
            .withParentShardPollIntervalMillis(300)
            .withFailoverTimeMillis(1000)
            .withTaskBackoffTimeMillis(100);
    ExecutorService threads = Executors.newCachedThreadPool();
    Worker worker =
        new Worker.Builder()
            .recordProcessorFactory(() -> new Processor(left))
            .config(configuration)
            .kinesisClient(kinesis)
            .dynamoDBClient(
                AmazonDynamoDBClientBuilder.standard()
                    .withEndpointConfiguration(endpoint)
                    .withCredentials(credentials)
                    .build())
            .metricsFactory(new NullMetricsFactory())
            .execService(threads)
            .build();
    threads.submit(worker);
    boolean all = left.await(60, TimeUnit.SECONDS);
    worker.startGracefulShutdown().get(30, TimeUnit.SECONDS);
    threads.shutdownNow();
    System.out.println("[" + String.join(",", SEEN) + "]");
    System.exit(all ? 0 : 1);
  }

  private static void put(AmazonKinesis kinesis, String stream, int count) {
    try {
      kinesis.describeStreamSummary(
          new com.amazonaws.services.kinesis.model.DescribeStreamSummaryRequest()
              .withStreamName("none"));
      throw new IllegalStateException("a stream that does not exist was described");
    } catch (ResourceNotFoundException expected) {
      System.err.println(expected.getErrorMessage());
    }
    List<PutRecordsRequestEntry> records = new ArrayList<>();
    for (int number = 0; number < count; number++) {
      byte[] data = (number + " of " + count).getBytes(StandardCharsets.UTF_8);
      records.add(
          new PutRecordsRequestEntry()
              .withPartitionKey("key-" + number % 7)
              .withData(ByteBuffer.wrap(data)));
    }
    kinesis.putRecords(new PutRecordsRequest().withStreamName(stream).withRecords(records));
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
        SEEN.add(
            String.format(
                "[\"%s\",\"%s\",\"%s\",%d]",
                record.getPartitionKey(),
                Base64.getEncoder().encodeToString(record.getData().array()),
                record.getSequenceNumber(),
                record.getApproximateArrivalTimestamp().getTime()));
        left.countDown();
      }
      checkpoint(() -> input.getCheckpointer().checkpoint(), !input.getRecords().isEmpty());
    }

    @Override
    public void shutdown(ShutdownInput input) {
      boolean ended = input.getShutdownReason() == ShutdownReason.TERMINATE;
      checkpoint(() -> input.getCheckpointer().checkpoint(), ended);
    }

    private static void checkpoint(Checkpoint checkpoint, boolean due) {
      try {
        if (due) {
          checkpoint.make();
        }
      } catch (Exception error) {
        throw new IllegalStateException(error);
      }
    }
  }

  private interface Checkpoint {
    void make() throws Exception;
  }
}
