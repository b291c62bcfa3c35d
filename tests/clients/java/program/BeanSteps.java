package program;

import static program.Json.object;
import static program.Program.refusal;
import static software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure.ALL_OLD;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbEnhancedClient;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbTable;
import software.amazon.awssdk.enhanced.dynamodb.Expression;
import software.amazon.awssdk.enhanced.dynamodb.Key;
import software.amazon.awssdk.enhanced.dynamodb.TableSchema;
import software.amazon.awssdk.enhanced.dynamodb.model.IgnoreNullsMode;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.ReturnConsumedCapacity;
import software.amazon.awssdk.services.dynamodb.model.ReturnValue;
import software.amazon.awssdk.services.dynamodb.model.TableDescription;

/** The Enhanced Client: a table made from a bean, and beans written one by one. */
final class BeanSteps {
    static final String TABLE = "java-orders";

    private final DynamoDbClient client;
    private final DynamoDbTable<Order> orders;

    BeanSteps(DynamoDbClient client) {
        this.client = client;
        this.orders = DynamoDbEnhancedClient.builder().dynamoDbClient(client).build()
                .table(TABLE, TableSchema.fromBean(Order.class));
    }

    void addTo(Map<String, Program.Step> steps) {
        steps.put("table", this::table);
        steps.put("kinds", this::kinds);
        steps.put("version", this::version);
        steps.put("counter", this::counter);
        steps.put("nullsWritten", this::nullsWritten);
        steps.put("nullsIgnored", this::nullsIgnored);
        steps.put("condition", this::condition);
        steps.put("delete", this::delete);
        steps.put("capacity", this::capacity);
    }

    private Object table() {
        orders.createTable();
        TableDescription made = client.waiter().waitUntilTableExists(b -> b.tableName(TABLE))
                .matched().response().orElseThrow().table();
        return object(
                "status", made.tableStatus(),
                "billing", made.billingModeSummary().billingMode(),
                "global", made.globalSecondaryIndexes().stream()
                        .map(index -> index.indexName() + " " + index.indexStatus()).toList(),
                "local", made.localSecondaryIndexes().stream().map(index -> index.indexName()).toList(),
                "attributes", new TreeSet<>(made.attributeDefinitions().stream()
                        .map(a -> a.attributeName() + " " + a.attributeTypeAsString()).toList()),
                "madeThisCentury", made.creationDateTime().isAfter(Instant.ofEpochSecond(1_500_000_000)));
    }

    private Object kinds() {
        Order order = new Order("kinds", 1);
        order.setStatus(Order.Status.OPEN);
        order.setPlaced(Instant.parse("2026-01-02T03:04:05.678Z"));
        order.setTotal(new BigDecimal("12345678901234567890.123456789"));
        order.setNote("déjà vu 😀");
        order.setGift(true);
        order.setAddress(new Order.Address("Main Street 1", null));
        order.setOthers(List.of(new Order.Address("", "Bonn"), new Order.Address("a", "b")));
        order.setCounts(Map.of("one", 1, "minus", -1));
        order.setLabels(Set.of("b", "a"));
        order.setPrimes(Set.of(2, 3, 11));
        order.setPhoto(SdkBytes.fromByteArray(new byte[] {0, -1, 127}));
        order.setPoint(new Order.Point(3, -4));
        orders.putItem(order);
        Order read = read(order);
        Map<String, AttributeValue> raw = client.getItem(b -> b.tableName(TABLE).consistentRead(true)
                .key(orders.keyFrom(order).keyMap(orders.tableSchema(), "$PRIMARY_INDEX"))).item();
        String stored = raw.entrySet().stream().sorted(Map.Entry.comparingByKey())
                .map(entry -> entry.getKey() + " " + entry.getValue().type())
                .collect(Collectors.joining(", "));
        return object(
                "stored", stored,
                "read", object(
                        "status", read.getStatus(), "placed", read.getPlaced(),
                        "total", read.getTotal().toPlainString(), "note", read.getNote(),
                        "gift", read.getGift(), "address", read.getAddress(), "others", read.getOthers(),
                        "counts", read.getCounts(), "labels", new TreeSet<>(read.getLabels()),
                        "primes", new TreeSet<>(read.getPrimes()), "point", read.getPoint(),
                        "photo", Stream.of(0, 1, 2).map(i -> read.getPhoto().asByteArray()[i]).toList()));
    }

    /** The extension adds a condition to each write of a bean with a version. */
    private Object version() throws Exception {
        orders.putItem(new Order("version", 1));
        Order first = read(new Order("version", 1));
        Order stale = read(first);
        first.setNote("mine");
        orders.putItem(first);
        stale.setNote("theirs");
        var put = refusal(
                ConditionalCheckFailedException.class, () -> orders.putItemWithResponse(b -> b.item(stale)));
        var update = refusal(ConditionalCheckFailedException.class, () -> orders.updateItem(stale));
        Order last = read(first);
        return object(
                "put", failure(put), "update", failure(update),
                "last", List.of(last.getVersion(), last.getNote()),
                "updated", orders.updateItem(last).getVersion());
    }

    /** The extension counts with if_not_exists(saves, :start) + :delta in each update. */
    private Object counter() {
        Order first = orders.updateItem(new Order("counter", 1));
        Order second = orders.updateItem(first);
        Order third = orders.updateItem(second);
        return List.of(first.getSaves(), second.getSaves(), third.getSaves());
    }

    private Object nullsWritten() {
        orders.putItem(described("nulls written"));
        Order change = read(described("nulls written"));
        change.setGift(null);
        change.setAddress(new Order.Address("elsewhere", null));
        return summary(orders.updateItem(change));
    }

    private Object nullsIgnored() {
        orders.putItem(described("nulls ignored"));
        Order change = new Order("nulls ignored", 1);
        change.setVersion(1L);
        change.setAddress(new Order.Address("elsewhere", null));
        return summary(orders.updateItem(
                b -> b.item(change).ignoreNullsMode(IgnoreNullsMode.SCALAR_ONLY)));
    }

    private static Order described(String customer) {
        Order order = new Order(customer, 1);
        order.setNote("note");
        order.setGift(true);
        order.setAddress(new Order.Address("street", "city"));
        return order;
    }

    private static Object summary(Order order) {
        return Stream.of(order.getNote(), order.getGift(), order.getAddress(), order.getVersion())
                .map(String::valueOf).toList();
    }

    private Object condition() throws Exception {
        Order order = described("condition");
        orders.putItem(order);
        Expression unsent = Expression.builder().expression("attribute_not_exists(#s) AND size(#c) > :n")
                .putExpressionName("#s", "status").putExpressionName("#c", "comment")
                .putExpressionValue(":n", AttributeValue.fromN("10")).build();
        var failed = refusal(
                ConditionalCheckFailedException.class,
                () -> orders.deleteItemWithResponse(b -> b.key(orders.keyFrom(order))
                        .conditionExpression(unsent).returnValuesOnConditionCheckFailure(ALL_OLD)));
        Order found = orders.tableSchema().mapToItem(failed.item());
        return object("hasItem", failed.hasItem(), "item", summary(found), "error", failure(failed));
    }

    private Object delete() {
        Order order = described("delete");
        orders.putItem(order);
        Key key = orders.keyFrom(order);
        return object(
                "old", summary(orders.deleteItem(key)),
                "again", orders.deleteItem(key), "found", orders.getItem(key));
    }

    private Object capacity() {
        Order order = described("capacity");
        order.setStatus(Order.Status.SENT);
        order.setPlaced(Instant.EPOCH);
        var put = orders.putItemWithResponse(b -> b.item(order)
                .returnConsumedCapacity(ReturnConsumedCapacity.INDEXES)).consumedCapacity();
        var old = orders.putItemWithResponse(b -> b.item(read(order)).returnValues(ReturnValue.ALL_OLD));
        return object(
                "total", put.capacityUnits(), "table", put.table().capacityUnits(),
                "index", put.globalSecondaryIndexes().get("by-status").capacityUnits(),
                "old", old.attributes().getNote());
    }

    private Order read(Order order) {
        return orders.getItem(b -> b.key(orders.keyFrom(order)).consistentRead(true));
    }

    static Object failure(ConditionalCheckFailedException error) {
        return object(
                "code", error.awsErrorDetails().errorCode(),
                "message", error.awsErrorDetails().errorMessage(),
                "status", error.statusCode(),
                "hasRequestId", !error.requestId().isEmpty(),
                "retryable", error.retryable());
    }
}
