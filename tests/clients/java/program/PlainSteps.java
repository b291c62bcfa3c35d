package program;

import static program.Json.object;
import static program.Program.refusal;
import static software.amazon.awssdk.services.dynamodb.model.StreamViewType.NEW_AND_OLD_IMAGES;

import java.util.List;
import java.util.Map;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ResourceInUseException;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.ShardIteratorType;
import software.amazon.awssdk.services.dynamodb.streams.DynamoDbStreamsClient;

/** The client itself, over the JDK's own HTTP: values without a mapper, and errors. */
final class PlainSteps {
    private static final String TABLE = "java-plain";

    private final DynamoDbClient client;
    private final DynamoDbStreamsClient streams;

    PlainSteps(DynamoDbClient client, DynamoDbStreamsClient streams) {
        this.client = client;
        this.streams = streams;
    }

    void addTo(Map<String, Program.Step> steps) {
        steps.put("plainTable", this::table);
        steps.put("plainItems", this::items);
        steps.put("stream", this::stream);
        steps.put("notFound", this::notFound);
        steps.put("inUse", this::inUse);
        steps.put("invalid", this::invalid);
        steps.put("tables", this::tables);
    }

    private Object table() {
        var made = create();
        client.waiter().waitUntilTableExists(b -> b.tableName(TABLE));
        return made;
    }

    private Object create() {
        var key = KeySchemaElement.builder().attributeName("pk").keyType(KeyType.HASH).build();
        var type = AttributeDefinition.builder().attributeName("pk")
                .attributeType(ScalarAttributeType.B).build();
        return client.createTable(b -> b.tableName(TABLE).billingMode(BillingMode.PAY_PER_REQUEST)
                .keySchema(List.of(key)).attributeDefinitions(List.of(type))
                .streamSpecification(s -> s.streamEnabled(true).streamViewType(NEW_AND_OLD_IMAGES)))
                .tableDescription().tableStatusAsString();
    }

    private Object items() {
        Map<String, AttributeValue> item = Map.of(
                "pk", AttributeValue.fromB(SdkBytes.fromUtf8String("key")),
                "number", AttributeValue.fromN("-1.50E+3"), "nothing", AttributeValue.fromNul(true),
                "list", AttributeValue.fromL(List.of()), "map", AttributeValue.fromM(Map.of()));
        client.putItem(b -> b.tableName(TABLE).item(item));
        Map<String, AttributeValue> key = Map.of("pk", item.get("pk"));
        var read = client.getItem(b -> b.tableName(TABLE).key(key));
        var missing = client.getItem(b -> b.tableName(TABLE).key(Map.of("pk", AttributeValue.fromB(
                SdkBytes.fromUtf8String("none")))));
        return object(
                "number", read.item().get("number").n(), "nothing", read.item().get("nothing").nul(),
                "emptyList", read.item().get("list").hasL(), "emptyMap", read.item().get("map").hasM(),
                "hasItem", read.hasItem(), "missing", missing.hasItem(),
                "hasRequestId", !read.responseMetadata().requestId().isEmpty());
    }

    /** What the items above became, and what becomes of them here: insert, change, removal. */
    private Object stream() {
        Map<String, AttributeValue> key = Map.of("pk", AttributeValue.fromB(SdkBytes.fromUtf8String("key")));
        client.updateItem(b -> b.tableName(TABLE).key(key).updateExpression("REMOVE nothing"));
        client.deleteItem(b -> b.tableName(TABLE).key(key));
        String arn = client.describeTable(b -> b.tableName(TABLE)).table().latestStreamArn();
        String shard = streams.describeStream(b -> b.streamArn(arn))
                .streamDescription().shards().get(0).shardId();
        String start = streams.getShardIterator(b -> b.streamArn(arn).shardId(shard)
                .shardIteratorType(ShardIteratorType.TRIM_HORIZON)).shardIterator();
        return streams.getRecords(b -> b.shardIterator(start)).records().stream()
                .map(record -> List.of(
                        record.eventNameAsString(), record.dynamodb().oldImage().size(),
                        record.dynamodb().newImage().size(), record.dynamodb().keys().equals(key)))
                .toList();
    }

    private Object notFound() throws Exception {
        return told(refusal(ResourceNotFoundException.class,
                () -> client.describeTable(b -> b.tableName("no-such-table"))));
    }

    private Object inUse() throws Exception {
        return told(refusal(ResourceInUseException.class, this::create));
    }

    /** A fault that has no class: the model of the operation does not list it. */
    private Object invalid() throws Exception {
        return told(refusal(DynamoDbException.class, () -> client.getItem(
                b -> b.tableName(TABLE).key(Map.of("pk", AttributeValue.fromS("text"))))));
    }

    private Object tables() {
        client.deleteTable(b -> b.tableName(TABLE));
        client.waiter().waitUntilTableNotExists(b -> b.tableName(TABLE));
        return client.listTablesPaginator(b -> b.limit(1)).tableNames().stream()
                .filter(name -> name.startsWith("java-")).toList();
    }

    private static Object told(DynamoDbException error) {
        return object(
                "class", error.getClass().getSimpleName(), "code", error.awsErrorDetails().errorCode(),
                "message", error.awsErrorDetails().errorMessage(), "status", error.statusCode());
    }
}
