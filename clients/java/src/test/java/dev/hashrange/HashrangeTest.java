package dev.hashrange;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;

@ExtendWith(Hashrange.class)
class HashrangeTest {
    @RepeatedTest(2)
    void eachTestHasAnEmptyAccount(DynamoDbClient dynamodb) {
        assertEquals(List.of(), dynamodb.listTables().tableNames());
        dynamodb.createTable(table -> table
                .tableName("orders")
                .attributeDefinitions(AttributeDefinition.builder()
                        .attributeName("id").attributeType("S").build())
                .keySchema(KeySchemaElement.builder().attributeName("id").keyType("HASH").build())
                .billingMode(BillingMode.PAY_PER_REQUEST));
        assertEquals(List.of("orders"), dynamodb.listTables().tableNames());
    }
}
