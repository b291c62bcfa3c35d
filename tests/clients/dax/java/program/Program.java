package program;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.services.dynamodb.model.Delete;
import software.amazon.awssdk.services.dynamodb.model.ItemResponse;
import software.amazon.awssdk.services.dynamodb.model.KeysAndAttributes;
import software.amazon.awssdk.services.dynamodb.model.Put;
import software.amazon.awssdk.services.dynamodb.model.ReturnConsumedCapacity;
import software.amazon.awssdk.services.dynamodb.model.ReturnValue;
import software.amazon.awssdk.services.dynamodb.model.Select;
import software.amazon.awssdk.services.dynamodb.model.TransactGetItem;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;
import software.amazon.awssdk.services.dynamodb.model.Update;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;
import software.amazon.dax.ClusterDaxClient;
import software.amazon.dax.Configuration;

/** What the Java client of DAX sees of a server; run by pytest. Its argument is the endpoint. */
public final class Program {
    private static DynamoDbClient client;

    public static void main(String[] arguments) throws Exception {
        Configuration configuration =
                Configuration.builder().url(arguments[0]).region(Region.US_EAST_1).build();
        client = ClusterDaxClient.builder().overrideConfiguration(configuration).build();
        System.out.println(Json.text(Json.object(
                "items", items(),
                "pages", pages(),
                "batches", batches(),
                "transactions", transactions(),
                "refusals", refusals())));
        System.exit(0);
    }

    private static AttributeValue fromS(String value) {
        return AttributeValue.builder().s(value).build();
    }

    private static AttributeValue fromN(String value) {
        return AttributeValue.builder().n(value).build();
    }

    private static AttributeValue fromM(Map<String, AttributeValue> value) {
        return AttributeValue.builder().m(value).build();
    }

    private static AttributeValue fromL(List<AttributeValue> value) {
        return AttributeValue.builder().l(value).build();
    }

    /** This client writes small fractions with an exponent. */
    private static String plain(AttributeValue value) {
        return new BigDecimal(value.n()).stripTrailingZeros().toPlainString();
    }

    private static SdkBytes bytes(int... values) {
        byte[] made = new byte[values.length];
        for (int at = 0; at < values.length; at++) {
            made[at] = (byte) values[at];
        }
        return SdkBytes.fromByteArray(made);
    }

    private static List<String> refusal(Runnable call) {
        try {
            call.run();
            return null;
        } catch (AwsServiceException error) {
            // The client puts the codes of DAX before the text.
            String text = error.awsErrorDetails().errorMessage().replaceFirst("^\\[[0-9.]+\\] ", "");
            return List.of(error.awsErrorDetails().errorCode(), text);
        }
    }

    private static Object items() {
        Map<String, AttributeValue> kinds = new HashMap<>();
        kinds.put("pk", fromS("kinds"));
        kinds.put("s", fromS("\u00fc"));
        kinds.put("n", fromN("-12345678901234567890.5"));
        kinds.put("b", AttributeValue.builder().b(bytes(0, 255)).build());
        kinds.put("t", AttributeValue.builder().bool(true).build());
        kinds.put("z", AttributeValue.builder().nul(true).build());
        kinds.put("l", fromL(List.of(
                fromN("1"), fromM(Map.of("x", fromS("deep"), "y", fromL(List.of()))), fromS(""))));
        kinds.put("ss", AttributeValue.builder().ss("a", "b").build());
        kinds.put("ns", AttributeValue.builder().ns("1", "2").build());
        kinds.put("bs", AttributeValue.builder().bs(bytes('a'), bytes('b')).build());
        Map<String, AttributeValue> key = Map.of("pk", fromS("kinds"));
        client.putItem(r -> r.tableName("flat").item(kinds));
        Map<String, AttributeValue> got = client.getItem(r -> r.tableName("flat").key(key)).item();
        boolean found = client.getItem(
                r -> r.tableName("flat").key(Map.of("pk", fromS("none")))).hasItem();
        Map<String, AttributeValue> part = client.getItem(r -> r.tableName("flat").key(key)
                .projectionExpression("#s, l[1].x, l[2]")
                .expressionAttributeNames(Map.of("#s", "s"))).item();
        Map<String, AttributeValue> updated = client.updateItem(r -> r.tableName("flat").key(key)
                .updateExpression("SET o = :o, c = if_not_exists(c, :one) + :one REMOVE ss ADD v :one")
                .conditionExpression(
                        "attribute_exists(pk) AND (n < :one OR size(l) > :one) AND NOT t = :one")
                .expressionAttributeValues(
                        Map.of(":o", fromM(Map.of("q", fromN("7.50"))), ":one", fromN("1")))
                .returnValues(ReturnValue.UPDATED_NEW)).attributes();
        Map<String, AttributeValue> nested = client.updateItem(r -> r.tableName("flat").key(key)
                .updateExpression("SET o.q = :i")
                .expressionAttributeValues(Map.of(":i", fromN("9")))
                .returnValues(ReturnValue.UPDATED_NEW)).attributes();
        Map<String, AttributeValue> old = client.deleteItem(r -> r.tableName("flat").key(key)
                .returnValues(ReturnValue.ALL_OLD)).attributes();
        return Json.object(
                "same", got.equals(kinds),
                "missing", !found,
                "part", List.of(
                        part.get("s").s(),
                        part.get("l").l().get(0).m().get("x").s(),
                        part.get("l").l().get(1).s()),
                "updated", List.of(
                        plain(updated.get("o").m().get("q")),
                        plain(updated.get("c")),
                        plain(updated.get("v"))),
                "nested", List.of(
                        new ArrayList<>(nested.keySet()), plain(nested.get("o").m().get("q"))),
                "old", List.of(old.get("pk").s(), plain(old.get("v")), old.containsKey("ss")));
    }

    private static Object pages() {
        var between = client.query(r -> r.tableName("sorted")
                .keyConditionExpression("pk = :p AND sk BETWEEN :low AND :high")
                .filterExpression("v IN (:a, :b)")
                .expressionAttributeValues(Map.of(
                        ":p", fromS("p"), ":low", fromN("2"), ":high", fromN("7.5"),
                        ":a", fromN("3"), ":b", fromN("5")))
                .scanIndexForward(false)
                .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL));
        List<List<String>> index = new ArrayList<>();
        Map<String, AttributeValue> start = null;
        do {
            Map<String, AttributeValue> from = start;
            var page = client.query(r -> r.tableName("sorted").indexName("by-g")
                    .keyConditionExpression("g = :g")
                    .expressionAttributeValues(Map.of(":g", fromS("even")))
                    .projectionExpression("sk").limit(2).exclusiveStartKey(from));
            index.add(page.items().stream().map(each -> plain(each.get("sk"))).toList());
            start = page.hasLastEvaluatedKey() ? page.lastEvaluatedKey() : null;
        } while (start != null);
        List<Integer> scan = new ArrayList<>();
        do {
            Map<String, AttributeValue> from = start;
            var page = client.scan(r -> r.tableName("sorted").limit(4).exclusiveStartKey(from));
            scan.add(page.count());
            start = page.hasLastEvaluatedKey() ? page.lastEvaluatedKey() : null;
        } while (start != null);
        return Json.object(
                "between", between.items().stream().map(each -> plain(each.get("sk"))).toList(),
                "counts", List.of(between.count(), between.scannedCount()),
                "units", between.consumedCapacity().capacityUnits(),
                "index", index,
                "scan", scan,
                "count", client.scan(r -> r.tableName("sorted").select(Select.COUNT)).count());
    }

    private static Object batches() {
        List<WriteRequest> writes = new ArrayList<>();
        List<Map<String, AttributeValue>> keys = new ArrayList<>();
        for (int number = 0; number < 25; number++) {
            Map<String, AttributeValue> key = Map.of("pk", fromS("b" + number));
            keys.add(key);
            Map<String, AttributeValue> item =
                    Map.of("pk", key.get("pk"), "v", fromN(String.valueOf(number)));
            writes.add(WriteRequest.builder().putRequest(r -> r.item(item)).build());
        }
        var written = client.batchWriteItem(r -> r.requestItems(Map.of("flat", writes)));
        client.batchWriteItem(r -> r.requestItems(Map.of("flat", List.of(
                WriteRequest.builder().deleteRequest(d -> d.key(keys.get(0))).build()))));
        var got = client.batchGetItem(r -> r.requestItems(Map.of(
                "flat", KeysAndAttributes.builder().keys(keys).projectionExpression("v").build(),
                "sorted", KeysAndAttributes.builder().consistentRead(true)
                        .keys(Map.of("pk", fromS("p"), "sk", fromN("1"))).build())));
        var flat = got.responses().get("flat");
        return Json.object(
                "unprocessed", written.unprocessedItems().size() + got.unprocessedKeys().size(),
                "sum", flat.stream().mapToInt(each -> Integer.parseInt(plain(each.get("v")))).sum(),
                "found", List.of(
                        flat.size(),
                        got.responses().get("sorted").stream().map(each -> each.get("g").s()).toList()));
    }

    private static Object transactions() {
        Put put = Put.builder().tableName("flat")
                .item(Map.of("pk", fromS("t1"), "v", fromN("1"))).build();
        TransactWriteItem remove = TransactWriteItem.builder().delete(
                Delete.builder().tableName("flat").key(Map.of("pk", fromS("t3"))).build()).build();
        client.transactWriteItems(r -> r.transactItems(
                TransactWriteItem.builder().put(put).build(),
                TransactWriteItem.builder().conditionCheck(ConditionCheck.builder()
                        .tableName("sorted").key(Map.of("pk", fromS("p"), "sk", fromN("1")))
                        .conditionExpression("attribute_exists(pk)").build()).build(),
                TransactWriteItem.builder().update(Update.builder()
                        .tableName("flat").key(Map.of("pk", fromS("t2")))
                        .updateExpression("SET v = :v")
                        .expressionAttributeValues(Map.of(":v", fromN("2"))).build()).build(),
                remove));
        List<TransactGetItem> gets = new ArrayList<>();
        for (String name : List.of("t1", "t2", "t3")) {
            gets.add(TransactGetItem.builder()
                    .get(r -> r.tableName("flat").key(Map.of("pk", fromS(name)))).build());
        }
        List<String> got = new ArrayList<>();
        for (ItemResponse each : client.transactGetItems(r -> r.transactItems(gets)).responses()) {
            got.add(each.hasItem() ? plain(each.item().get("v")) : null);
        }
        List<String> reasons = null;
        try {
            Put again = put.toBuilder().conditionExpression("attribute_not_exists(pk)").build();
            client.transactWriteItems(r -> r.transactItems(
                    TransactWriteItem.builder().put(again).build(), remove));
        } catch (TransactionCanceledException error) {
            reasons = error.cancellationReasons().stream().map(CancellationReason::code).toList();
        }
        return Json.object("got", got, "reasons", reasons);
    }

    private static Object refusals() {
        return Json.object(
                "condition", refusal(() -> client.putItem(r -> r.tableName("sorted")
                        .item(Map.of("pk", fromS("p"), "sk", fromN("1")))
                        .conditionExpression("attribute_not_exists(pk)"))),
                "table", refusal(() -> client.getItem(
                        r -> r.tableName("nothing").key(Map.of("pk", fromS("a"))))).get(0),
                "update", refusal(() -> client.updateItem(r -> r.tableName("flat")
                        .key(Map.of("pk", fromS("a"))).updateExpression("SET pk = :v")
                        .expressionAttributeValues(Map.of(":v", fromS("b"))))));
    }
}
