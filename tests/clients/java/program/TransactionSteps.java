package program;

import static program.Json.object;
import static program.Program.refusal;
import static software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure.ALL_OLD;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbEnhancedClient;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbTable;
import software.amazon.awssdk.enhanced.dynamodb.Expression;
import software.amazon.awssdk.enhanced.dynamodb.Key;
import software.amazon.awssdk.enhanced.dynamodb.TableSchema;
import software.amazon.awssdk.enhanced.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.enhanced.dynamodb.model.TransactPutItemEnhancedRequest;
import software.amazon.awssdk.enhanced.dynamodb.model.TransactWriteItemsEnhancedRequest;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.IdempotentParameterMismatchException;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/** The Enhanced Client: transactions, each with all kinds of action that there are. */
final class TransactionSteps {
    private static final Expression EXISTS =
            Expression.builder().expression("attribute_exists(customer)").build();

    private final DynamoDbEnhancedClient enhanced;
    private final DynamoDbTable<Order> orders;

    TransactionSteps(DynamoDbClient client) {
        this.enhanced = DynamoDbEnhancedClient.builder().dynamoDbClient(client).build();
        this.orders = enhanced.table(BeanSteps.TABLE, TableSchema.fromBean(Order.class));
    }

    void addTo(Map<String, Program.Step> steps) {
        steps.put("transaction", this::transaction);
        steps.put("transactionCanceled", this::canceled);
        steps.put("transactionToken", this::token);
    }

    private static Key key(long number) {
        return Key.builder().partitionValue("transaction").sortValue(number).build();
    }

    private static Order order(long number, String note) {
        Order order = new Order("transaction", number);
        order.setNote(note);
        return order;
    }

    private List<String> notes(long... numbers) {
        var read = enhanced.transactGetItems(b -> Arrays.stream(numbers)
                .forEach(number -> b.addGetItem(orders, key(number))));
        return read.stream().map(document -> document.getItem(orders))
                .map(order -> order == null ? "none" : order.getNote() + " " + order.getVersion()).toList();
    }

    private Object transaction() {
        Stream.of(1, 2, 3).forEach(number -> orders.putItem(order(number, "old")));
        Order changed = orders.getItem(key(1));
        changed.setNote("changed");
        enhanced.transactWriteItems(b -> b
                .addUpdateItem(orders, changed)
                .addDeleteItem(orders, key(2))
                .addConditionCheck(orders, check(3))
                .addPutItem(orders, order(4, "new")));
        return notes(1, 2, 3, 4);
    }

    private static ConditionCheck<Order> check(long number) {
        return ConditionCheck.builder().key(key(number)).conditionExpression(EXISTS)
                .returnValuesOnConditionCheckFailure(ALL_OLD).build();
    }

    /** A version that is there already, and an order that is not; nothing of it is written. */
    private Object canceled() throws Exception {
        orders.putItem(order(5, "taken"));
        var taken = TransactPutItemEnhancedRequest.builder(Order.class).item(order(5, "mine"))
                .returnValuesOnConditionCheckFailure(ALL_OLD).build();
        var error = refusal(TransactionCanceledException.class, () -> {
            enhanced.transactWriteItems(b -> b.addPutItem(orders, order(6, "new"))
                    .addPutItem(orders, taken).addConditionCheck(orders, check(7)));
            return null;
        });
        var reasons = error.cancellationReasons();
        return object(
                "message", error.awsErrorDetails().errorMessage(), "status", error.statusCode(),
                "reasons", reasons.stream()
                        .map(reason -> Arrays.asList(reason.code(), reason.message(), reason.hasItem()))
                        .toList(),
                "inTheWay", orders.tableSchema().mapToItem(reasons.get(1).item()).getNote(),
                "left", notes(5, 6));
    }

    private Object token() throws Exception {
        enhanced.transactWriteItems(tokened(8, "once"));
        enhanced.transactWriteItems(tokened(8, "once"));
        var error = refusal(IdempotentParameterMismatchException.class, () -> {
            enhanced.transactWriteItems(tokened(8, "another"));
            return null;
        });
        return object("code", error.awsErrorDetails().errorCode(), "left", notes(8));
    }

    private TransactWriteItemsEnhancedRequest tokened(long number, String note) {
        return TransactWriteItemsEnhancedRequest.builder().clientRequestToken("java-token")
                .addPutItem(orders, order(number, note)).build();
    }
}
