package program;

import static program.Program.refusal;

import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.SearchSchemaElementType;
import software.amazon.awssdk.services.dynamodb.model.VectorDistanceFunction;
import software.amazon.awssdk.services.dynamodb.model.VectorIndex;

/** The client itself: a table with a vector index, and searches. */
final class VectorSteps {
    private static final String TABLE = "java-vectors";
    private static final String INDEX = "by-place";

    private final DynamoDbClient client;

    VectorSteps(DynamoDbClient client) {
        this.client = client;
    }

    void addTo(Map<String, Program.Step> steps) {
        steps.put("vectorTable", this::table);
        steps.put("vectorSearch", this::search);
        steps.put("vectorRefused", this::refused);
    }

    private Object table() {
        var key = KeySchemaElement.builder().attributeName("pk").keyType(KeyType.HASH).build();
        var index = VectorIndex.builder().indexName(INDEX).dimensions(2L)
                .vectorAttribute(a -> a.attributeName("place"))
                .distanceFunction(VectorDistanceFunction.EUCLIDEAN)
                .projection(p -> p.projectionType(ProjectionType.ALL))
                .searchSchema(s -> s.attributeName("kind")
                        .searchSchemaElementType(SearchSchemaElementType.INLINE_FILTER))
                .build();
        var made = client.createTable(b -> b.tableName(TABLE).billingMode(BillingMode.PAY_PER_REQUEST)
                .keySchema(key).attributeDefinitions(text("pk"), text("kind")).vectorIndexes(index))
                .tableDescription().vectorIndexes().get(0);
        return List.of(made.indexName(), made.dimensions(), made.distanceFunctionAsString());
    }

    private static AttributeDefinition text(String name) {
        return AttributeDefinition.builder().attributeName(name)
                .attributeType(ScalarAttributeType.S).build();
    }

    private static List<AttributeValue> numbers(double... values) {
        return DoubleStream.of(values).mapToObj(Double::toString).map(AttributeValue::fromN).toList();
    }

    private void put(String key, String kind, double... place) {
        client.putItem(b -> b.tableName(TABLE).item(Map.of(
                "pk", AttributeValue.fromS(key), "kind", AttributeValue.fromS(kind),
                "place", AttributeValue.fromL(numbers(place)))));
    }

    private Object search() {
        put("a", "x", 0, 0);
        put("b", "y", 3, 4);
        put("c", "x", 6, 8);
        return client.searchVectors(b -> b.tableName(TABLE).indexName(INDEX)
                        .searchVector(numbers(0, 0)).topK(10)
                        .searchConditionExpression("#k = :k")
                        .expressionAttributeNames(Map.of("#k", "kind"))
                        .expressionAttributeValues(Map.of(":k", AttributeValue.fromS("x"))))
                .searchResults().stream()
                .map(result -> List.of(result.item().get("pk").s(), result.score())).toList();
    }

    private Object refused() throws Exception {
        return refusal(DynamoDbException.class, () -> client.searchVectors(b -> b.tableName(TABLE)
                        .indexName(INDEX).searchVector(numbers(1, 2, 3)).topK(1)))
                .awsErrorDetails().errorCode();
    }
}
