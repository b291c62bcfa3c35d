package program;

import static program.Json.object;
import static software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure.ALL_OLD;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.LongStream;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbAsyncTable;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbEnhancedAsyncClient;
import software.amazon.awssdk.enhanced.dynamodb.Key;
import software.amazon.awssdk.enhanced.dynamodb.TableSchema;
import software.amazon.awssdk.enhanced.dynamodb.model.QueryConditional;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;

/** The asynchronous clients, over Netty. */
final class AsyncSteps {
    private static final String TABLE = "java-async";
    private static final int WRITES = 40;

    private final DynamoDbAsyncClient client;
    private final DynamoDbAsyncTable<Order> orders;

    AsyncSteps(DynamoDbAsyncClient client) {
        this.client = client;
        this.orders = DynamoDbEnhancedAsyncClient.builder().dynamoDbClient(client).build()
                .table(TABLE, TableSchema.fromBean(Order.class));
    }

    void addTo(Map<String, Program.Step> steps) {
        steps.put("asyncTable", this::table);
        steps.put("asyncWrites", this::writes);
        steps.put("asyncPages", this::pages);
        steps.put("asyncCounter", this::counter);
        steps.put("asyncCondition", this::condition);
        steps.put("asyncGone", this::gone);
    }

    private Object table() {
        orders.createTable().join();
        return client.waiter().waitUntilTableExists(b -> b.tableName(TABLE)).join()
                .matched().response().orElseThrow().table().tableStatus();
    }

    /** All at once, over as many connections as the client likes. */
    private Object writes() {
        CompletableFuture.allOf(LongStream.range(0, WRITES)
                .mapToObj(number -> orders.putItem(new Order("async", number)))
                .toArray(CompletableFuture[]::new)).join();
        return LongStream.range(0, WRITES)
                .mapToObj(number -> orders.getItem(
                        Key.builder().partitionValue("async").sortValue(number).build()))
                .toList().stream().map(CompletableFuture::join).mapToLong(Order::getVersion).sum();
    }

    private Object pages() {
        List<Integer> sizes = Collections.synchronizedList(new ArrayList<>());
        orders.query(b -> b.limit(15).queryConditional(
                        QueryConditional.keyEqualTo(Key.builder().partitionValue("async").build())))
                .subscribe(page -> sizes.add(page.items().size())).join();
        return sizes;
    }

    /** Nobody's addition is lost. */
    private Object counter() {
        Map<String, AttributeValue> key = Map.of(
                "customer", AttributeValue.fromS("counter"), "number", AttributeValue.fromN("1"));
        CompletableFuture.allOf(LongStream.range(0, WRITES)
                .mapToObj(number -> client.updateItem(b -> b.tableName(TABLE).key(key)
                        .updateExpression("ADD visits :one")
                        .expressionAttributeValues(Map.of(":one", AttributeValue.fromN("1")))))
                .toArray(CompletableFuture[]::new)).join();
        return client.getItem(b -> b.tableName(TABLE).key(key)).join().item().get("visits").n();
    }

    private Object condition() {
        Map<String, AttributeValue> item = Map.of(
                "customer", AttributeValue.fromS("condition"), "number", AttributeValue.fromN("1"));
        client.putItem(b -> b.tableName(TABLE).item(item)).join();
        try {
            client.putItem(b -> b.tableName(TABLE).item(item)
                    .conditionExpression("attribute_not_exists(customer)")
                    .returnValuesOnConditionCheckFailure(ALL_OLD)).join();
            return "nothing was refused";
        } catch (CompletionException error) {
            var failed = (ConditionalCheckFailedException) error.getCause();
            return object("item", failed.item().equals(item), "error", BeanSteps.failure(failed));
        }
    }

    private Object gone() {
        orders.deleteTable().join();
        return client.waiter().waitUntilTableNotExists(b -> b.tableName(TABLE)).join()
                .matched().exception().orElseThrow().getClass().getSimpleName();
    }
}
