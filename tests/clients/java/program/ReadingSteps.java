package program;

import static program.Json.object;
import static software.amazon.awssdk.enhanced.dynamodb.model.QueryConditional.keyEqualTo;
import static software.amazon.awssdk.enhanced.dynamodb.model.QueryConditional.sortBetween;
import static software.amazon.awssdk.enhanced.dynamodb.model.QueryConditional.sortGreaterThan;
import static software.amazon.awssdk.enhanced.dynamodb.model.QueryConditional.sortLessThanOrEqualTo;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.StreamSupport;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.enhanced.dynamodb.AttributeConverterProvider;
import software.amazon.awssdk.enhanced.dynamodb.AttributeValueType;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbEnhancedClient;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbTable;
import software.amazon.awssdk.enhanced.dynamodb.Expression;
import software.amazon.awssdk.enhanced.dynamodb.Key;
import software.amazon.awssdk.enhanced.dynamodb.TableMetadata;
import software.amazon.awssdk.enhanced.dynamodb.TableSchema;
import software.amazon.awssdk.enhanced.dynamodb.document.EnhancedDocument;
import software.amazon.awssdk.enhanced.dynamodb.model.Page;
import software.amazon.awssdk.enhanced.dynamodb.model.QueryConditional;
import software.amazon.awssdk.enhanced.dynamodb.model.ReadBatch;
import software.amazon.awssdk.enhanced.dynamodb.model.WriteBatch;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** The Enhanced Client: batches, queries, indexes, scans, documents. */
final class ReadingSteps {
    private static final int ORDERS = 25;

    private final DynamoDbEnhancedClient enhanced;
    private final DynamoDbTable<Order> orders;

    ReadingSteps(DynamoDbClient client) {
        this.enhanced = DynamoDbEnhancedClient.builder().dynamoDbClient(client).build();
        this.orders = enhanced.table(BeanSteps.TABLE, TableSchema.fromBean(Order.class));
    }

    void addTo(Map<String, Program.Step> steps) {
        steps.put("batchWrite", this::batchWrite);
        steps.put("batchGet", this::batchGet);
        steps.put("query", this::query);
        steps.put("queryPages", this::queryPages);
        steps.put("queryFiltered", this::queryFiltered);
        steps.put("globalIndex", this::globalIndex);
        steps.put("localIndex", this::localIndex);
        steps.put("scan", this::scan);
        steps.put("largePages", this::largePages);
        steps.put("documents", this::documents);
    }

    /** As documents: beans with a version are written under a condition, which no batch can have. */
    private Object batchWrite() {
        WriteBatch.Builder<EnhancedDocument> batch =
                WriteBatch.builder(EnhancedDocument.class).mappedTableResource(documentTable());
        LongStream.range(0, ORDERS).forEach(number -> batch.addPutItem(order(number)));
        return enhanced.batchWriteItem(b -> b.writeBatches(batch.build()))
                .unprocessedPutItemsForTable(documentTable()).size();
    }

    /** Order by order a minute later and a unit less. */
    private static EnhancedDocument order(long number) {
        return EnhancedDocument.builder()
                .attributeConverterProviders(AttributeConverterProvider.defaultProvider())
                .putString("customer", "batch").putNumber("number", number)
                .putString("status", number % 2 == 0 ? "SENT" : "OPEN")
                .putString("placed", minute(number).toString()).putNumber("total", 100 - number)
                .build();
    }

    private static Instant minute(long number) {
        return Instant.parse("2026-01-01T00:00:00Z").plus(Duration.ofMinutes(number));
    }

    private DynamoDbTable<EnhancedDocument> documentTable() {
        return enhanced.table(BeanSteps.TABLE, TableSchema.documentSchemaBuilder()
                .addIndexPartitionKey(TableMetadata.primaryIndexName(), "customer", AttributeValueType.S)
                .addIndexSortKey(TableMetadata.primaryIndexName(), "number", AttributeValueType.N)
                .attributeConverterProviders(AttributeConverterProvider.defaultProvider()).build());
    }

    private Object batchGet() {
        ReadBatch.Builder<Order> batch = ReadBatch.builder(Order.class).mappedTableResource(orders);
        LongStream.rangeClosed(0, ORDERS).forEach(number -> batch.addGetItem(key(number)));
        var pages = enhanced.batchGetItem(b -> b.readBatches(batch.build()));
        return object(
                "found", pages.resultsForTable(orders).stream().map(Order::getNumber).sorted().toList(),
                "unread", pages.stream().mapToInt(p -> p.unprocessedKeysForTable(orders).size()).sum());
    }

    private Object query() {
        return object(
                "between", numbers(sortBetween(key(3), key(5)), true),
                "greater", numbers(sortGreaterThan(key(21)), true),
                "less", numbers(sortLessThanOrEqualTo(key(2)), false));
    }

    private List<Long> numbers(QueryConditional condition, boolean forward) {
        return orders.query(b -> b.queryConditional(condition).scanIndexForward(forward))
                .items().stream().map(Order::getNumber).toList();
    }

    private Object queryPages() {
        return pages(orders.query(b -> b.queryConditional(keyEqualTo(key())).limit(10)));
    }

    private Object queryFiltered() {
        Expression sent = Expression.builder().expression("#s = :s AND begins_with(placed, :day)")
                .putExpressionName("#s", "status").putExpressionValue(":s", AttributeValue.fromS("SENT"))
                .putExpressionValue(":day", AttributeValue.fromS("2026-01-01T00:0")).build();
        var page = orders.query(b -> b.queryConditional(keyEqualTo(key())).filterExpression(sent)
                .attributesToProject("number")).iterator().next();
        return object(
                "numbers", page.items().stream().map(Order::getNumber).toList(),
                "projected", page.items().stream().allMatch(order -> order.getStatus() == null),
                "count", page.count(), "scanned", page.scannedCount());
    }

    private Object globalIndex() {
        return pages(orders.index("by-status").query(b -> b.limit(2).scanIndexForward(false)
                .queryConditional(sortBetween(open(minute(15)), open(minute(21))))));
    }

    private static Key open(Instant placed) {
        return Key.builder().partitionValue("OPEN").sortValue(placed.toString()).build();
    }

    private Object localIndex() {
        Key to = Key.builder().partitionValue("batch").sortValue(new BigDecimal("77.0")).build();
        return pages(orders.index("by-total").query(b -> b.queryConditional(sortLessThanOrEqualTo(to))
                .consistentRead(true)));
    }

    private Object scan() {
        Expression batch = Expression.builder().expression("customer = :c AND #n IN (:a, :b)")
                .putExpressionName("#n", "number")
                .putExpressionValue(":c", AttributeValue.fromS("batch"))
                .putExpressionValue(":a", AttributeValue.fromN("7"))
                .putExpressionValue(":b", AttributeValue.fromN("8")).build();
        List<Long> segments = new ArrayList<>();
        IntStream.range(0, 3).forEach(segment -> orders.scan(b -> b.segment(segment).totalSegments(3))
                .items().stream().filter(order -> order.getCustomer().equals("batch"))
                .forEach(order -> segments.add(order.getNumber())));
        return object(
                "filtered", orders.scan(b -> b.filterExpression(batch)).items().stream()
                        .map(Order::getNumber).sorted().toList(),
                "index", orders.index("by-status").scan().stream().flatMap(page -> page.items().stream())
                        .filter(order -> order.getCustomer().equals("batch")).count(),
                "segments", segments.stream().sorted().toList());
    }

    /** 3 MB in pages of at most one. */
    private Object largePages() {
        for (long number = 0; number < 10; number++) {
            Order order = new Order("large", number);
            order.setPhoto(SdkBytes.fromByteArray(new byte[300_000]));
            orders.putItem(order);
        }
        return pages(orders.query(b -> b.queryConditional(
                keyEqualTo(Key.builder().partitionValue("large").build()))));
    }

    private Object documents() {
        DynamoDbTable<EnhancedDocument> table = documentTable();
        table.putItem(EnhancedDocument.fromJson("""
                {"customer": "document", "number": 1, "nothing": null,
                 "deep": {"list": [1, "two", {"three": [3.50]}]}}
                """));
        return table.getItem(Key.builder().partitionValue("document").sortValue(1).build()).toJson();
    }

    private static List<List<Long>> pages(Iterable<Page<Order>> pages) {
        return StreamSupport.stream(pages.spliterator(), false)
                .map(page -> page.items().stream().map(Order::getNumber).toList()).toList();
    }

    private static Key key() {
        return Key.builder().partitionValue("batch").build();
    }

    private static Key key(long number) {
        return Key.builder().partitionValue("batch").sortValue(number).build();
    }
}
