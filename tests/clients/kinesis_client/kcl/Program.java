package kcl;

import java.net.URI;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import software.amazon.awssdk.awscore.client.builder.AwsClientBuilder;
import software.amazon.awssdk.http.Protocol;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.cloudwatch.CloudWatchAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.kinesis.KinesisAsyncClient;
import software.amazon.awssdk.services.kinesis.model.ResourceNotFoundException;
import software.amazon.kinesis.common.ConfigsBuilder;
import software.amazon.kinesis.common.InitialPositionInStream;
import software.amazon.kinesis.common.InitialPositionInStreamExtended;
import software.amazon.kinesis.coordinator.Scheduler;
import software.amazon.kinesis.exceptions.InvalidStateException;
import software.amazon.kinesis.exceptions.ShutdownException;
import software.amazon.kinesis.lifecycle.events.InitializationInput;
import software.amazon.kinesis.lifecycle.events.LeaseLostInput;
import software.amazon.kinesis.lifecycle.events.ProcessRecordsInput;
import software.amazon.kinesis.lifecycle.events.ShardEndedInput;
import software.amazon.kinesis.lifecycle.events.ShutdownRequestedInput;
import software.amazon.kinesis.processor.RecordProcessorCheckpointer;
import software.amazon.kinesis.processor.ShardRecordProcessor;
import software.amazon.kinesis.processor.SingleStreamTracker;
import software.amazon.kinesis.retrieval.KinesisClientRecord;
import software.amazon.kinesis.retrieval.polling.PollingConfig;

/**
 * A worker of version 3 of the Kinesis Client Library, which polls a stream. Its leases, states and
 * metrics are in tables of the same server and in its CloudWatch. It ends once it has seen as many
 * records as are expected, and prints them, with their data in Base64.
 */
public final class Program {
  private static final List<String> SEEN = Collections.synchronizedList(new ArrayList<>());

  private Program() {}

  public static void main(String[] arguments) throws Exception {
    URI endpoint = URI.create(arguments[0]);
    String stream = arguments[1];
    CountDownLatch left = new CountDownLatch(Integer.parseInt(arguments[2]));
    // The client of Kinesis asks for HTTP/2 unless it has a client of HTTP/1.1.
    KinesisAsyncClient kinesis =
        at(endpoint, KinesisAsyncClient.builder())
            .httpClientBuilder(NettyNioAsyncHttpClient.builder().protocol(Protocol.HTTP1_1))
            .build();
    missing(kinesis);
    ConfigsBuilder made =
        new ConfigsBuilder(
            // Streams cannot share the tables that have the name of the application.
            new SingleStreamTracker(
                stream,
                InitialPositionInStreamExtended.newInitialPosition(
                    InitialPositionInStream.TRIM_HORIZON)),
            "reader-" + stream,
            kinesis,
            at(endpoint, DynamoDbAsyncClient.builder()).build(),
            at(endpoint, CloudWatchAsyncClient.builder()).build(),
            "worker",
            () -> new Processor(left));
    Scheduler scheduler =
        new Scheduler(
            made.checkpointConfig(),
            made.coordinatorConfig().parentShardPollIntervalMillis(300),
            made.leaseManagementConfig().failoverTimeMillis(1000).shardSyncIntervalMillis(300),
            made.lifecycleConfig(),
            made.metricsConfig(),
            made.processorConfig(),
            made.retrievalConfig()
                .retrievalSpecificConfig(
                    new PollingConfig(stream, kinesis)
                        .maxRecords(7)
                        .idleTimeBetweenReadsInMillis(200)));
    Thread thread = new Thread(scheduler, "scheduler");
    thread.start();
    boolean all = left.await(Integer.parseInt(arguments[3]), TimeUnit.SECONDS);
    scheduler.startGracefulShutdown().get(60, TimeUnit.SECONDS);
    System.out.println("[" + String.join(",", SEEN) + "]");
    System.exit(all ? 0 : 1);
  }

  private static <B extends AwsClientBuilder<B, ?>> B at(URI endpoint, B builder) {
    return builder.endpointOverride(endpoint).region(Region.US_EAST_1);
  }

  private static void missing(KinesisAsyncClient kinesis) {
    try {
      kinesis.describeStreamSummary(asked -> asked.streamName("none")).join();
      throw new IllegalStateException("a stream that does not exist was described");
    } catch (java.util.concurrent.CompletionException error) {
      if (!(error.getCause() instanceof ResourceNotFoundException)) {
        throw error;
      }
    }
  }

  private static final class Processor implements ShardRecordProcessor {
    private final CountDownLatch left;

    Processor(CountDownLatch left) {
      this.left = left;
    }

    @Override
    public void initialize(InitializationInput input) {}

    @Override
    public void processRecords(ProcessRecordsInput input) {
      for (KinesisClientRecord record : input.records()) {
        byte[] data = new byte[record.data().remaining()];
        record.data().get(data);
        SEEN.add(
            String.format(
                "[\"%s\",\"%s\",\"%s\",%d]",
                record.partitionKey(),
                Base64.getEncoder().encodeToString(data),
                record.sequenceNumber(),
                record.approximateArrivalTimestamp().toEpochMilli()));
        left.countDown();
      }
      if (!input.records().isEmpty()) {
        checkpoint(input.checkpointer());
      }
    }

    @Override
    public void leaseLost(LeaseLostInput input) {}

    @Override
    public void shardEnded(ShardEndedInput input) {
      checkpoint(input.checkpointer());
    }

    @Override
    public void shutdownRequested(ShutdownRequestedInput input) {
      checkpoint(input.checkpointer());
    }

    private static void checkpoint(RecordProcessorCheckpointer checkpointer) {
      try {
        checkpointer.checkpoint();
      } catch (InvalidStateException | ShutdownException error) {
        throw new IllegalStateException(error);
      }
    }
  }
}
