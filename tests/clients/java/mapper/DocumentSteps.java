package mapper;

import com.amazonaws.services.dynamodbv2.AmazonDynamoDB;
import com.amazonaws.services.dynamodbv2.document.AttributeUpdate;
import com.amazonaws.services.dynamodbv2.document.DynamoDB;
import com.amazonaws.services.dynamodbv2.document.Expected;
import com.amazonaws.services.dynamodbv2.document.Index;
import com.amazonaws.services.dynamodbv2.document.Item;
import com.amazonaws.services.dynamodbv2.document.QueryFilter;
import com.amazonaws.services.dynamodbv2.document.RangeKeyCondition;
import com.amazonaws.services.dynamodbv2.document.ScanFilter;
import com.amazonaws.services.dynamodbv2.document.Table;
import com.amazonaws.services.dynamodbv2.document.TableKeysAndAttributes;
import com.amazonaws.services.dynamodbv2.document.TableWriteItems;
import com.amazonaws.services.dynamodbv2.document.spec.DeleteItemSpec;
import com.amazonaws.services.dynamodbv2.document.spec.GetItemSpec;
import com.amazonaws.services.dynamodbv2.document.spec.QuerySpec;
import com.amazonaws.services.dynamodbv2.document.spec.UpdateItemSpec;
import com.amazonaws.services.dynamodbv2.model.AttributeDefinition;
import com.amazonaws.services.dynamodbv2.model.CreateGlobalSecondaryIndexAction;
import com.amazonaws.services.dynamodbv2.model.DeleteTableRequest;
import com.amazonaws.services.dynamodbv2.model.KeySchemaElement;
import com.amazonaws.services.dynamodbv2.model.KeyType;
import com.amazonaws.services.dynamodbv2.model.Projection;
import com.amazonaws.services.dynamodbv2.model.ProjectionType;
import com.amazonaws.services.dynamodbv2.model.ProvisionedThroughput;
import com.amazonaws.services.dynamodbv2.model.ReturnValue;
import com.amazonaws.services.dynamodbv2.util.TableUtils;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;

/** The document API: items without a class, and changes of a table that are waited for. */
final class DocumentSteps {
    private final AmazonDynamoDB client;
    private final DynamoDB documents;
    private final Table table;

    DocumentSteps(AmazonDynamoDB client) {
        this.client = client;
        this.documents = new DynamoDB(client);
        this.table = documents.getTable(Account.TABLE);
    }

    void addTo(Map<String, Program.Step> steps) {
        steps.put("documentPut", this::put);
        steps.put("documentUpdate", this::update);
        steps.put("documentExpected", this::expected);
        steps.put("documentReads", this::reads);
        steps.put("documentDelete", this::delete);
        steps.put("documentBatches", this::batches);
        steps.put("documentGzip", this::gzip);
        steps.put("throughput", this::throughput);
        steps.put("newIndex", this::newIndex);
        steps.put("gone", this::gone);
    }

    private Item get(String id) {
        return table.getItem("owner", "documents", "id", id);
    }

    private static Item item(String id) {
        return new Item().withPrimaryKey("owner", "documents", "id", id);
    }

    private Object put() {
        table.putItem(item("1").withString("text", "x").withNumber("number", 1.50).withBoolean("yes", true)
                .withNull("nothing").withStringSet("texts", "b", "a").withNumberSet("numbers", 2, 1)
                .withList("list", 1, "two").withMap("map", Map.of("k", 1)).withBinary("bytes", new byte[] {1})
                .withJSON("json", "{\"deep\": [1, null, {\"down\": true}]}"));
        return get("1").toJSON();
    }

    private Object update() {
        return table.updateItem(new UpdateItemSpec().withPrimaryKey("owner", "documents", "id", "1")
                .withReturnValues(ReturnValue.UPDATED_NEW)
                .withAttributeUpdate(
                        new AttributeUpdate("number").addNumeric(5), new AttributeUpdate("text").delete(),
                        new AttributeUpdate("texts").removeElements("a"),
                        new AttributeUpdate("numbers").addElements(3),
                        new AttributeUpdate("new").put(List.of("q")))
                .withExpected(
                        new Expected("text").eq("x"), new Expected("number").le(2),
                        new Expected("texts").exists())).getItem().toJSON();
    }

    private Object expected() {
        return Program.refusal(() -> table.putItem(item("1"), new Expected("texts").contains("none")));
    }

    private Object reads() {
        var query = table.query(new QuerySpec().withHashKey("owner", "documents")
                .withRangeKeyCondition(new RangeKeyCondition("id").ge("0"))
                .withAttributesToGet("id", "number").withQueryFilters(new QueryFilter("yes").eq(true)));
        var scan = table.scan(new ScanFilter("owner").eq("documents"), new ScanFilter("numbers").contains(3));
        Item part = table.getItem(new GetItemSpec().withPrimaryKey("owner", "documents", "id", "1")
                .withAttributesToGet("number", "map"));
        return List.of(
                StreamSupport.stream(query.spliterator(), false).map(Item::toJSON).toList(),
                StreamSupport.stream(scan.spliterator(), false).map(found -> found.getString("id")).toList(),
                part.toJSON());
    }

    private Object delete() {
        return table.deleteItem(new DeleteItemSpec().withPrimaryKey("owner", "documents", "id", "1")
                .withReturnValues(ReturnValue.ALL_OLD).withExpected(new Expected("absent").notExist()))
                .getItem().numberOfAttributes();
    }

    private Object batches() {
        var written = documents.batchWriteItem(new TableWriteItems(Account.TABLE)
                .addItemToPut(item("2")).withHashAndRangeKeysToDelete("owner", "id", "documents", "9"));
        var read = documents.batchGetItem(new TableKeysAndAttributes(Account.TABLE)
                .addHashAndRangePrimaryKeys("owner", "id", "documents", "2", "documents", "9")
                .withAttributeNames("id"));
        return List.of(
                written.getUnprocessedItems().size(), read.getUnprocessedKeys().size(),
                read.getTableItems().get(Account.TABLE).stream().map(Item::toJSON).toList());
    }

    /** This SDK asks for gzip, and checks the CRC32 of what it unpacks. */
    private Object gzip() {
        table.putItem(item("gzip").withString("text", "abc".repeat(50_000)));
        return get("gzip").getString("text").length();
    }

    private Object throughput() throws InterruptedException {
        table.updateTable(new ProvisionedThroughput(6L, 7L));
        var changed = table.waitForActive().getProvisionedThroughput();
        return List.of(changed.getReadCapacityUnits(), changed.getWriteCapacityUnits());
    }

    private Object newIndex() throws InterruptedException {
        table.putItem(item("indexed").withString("color", "red"));
        Index index = table.createGSI(
                new CreateGlobalSecondaryIndexAction().withIndexName("by-color")
                        .withKeySchema(new KeySchemaElement("color", KeyType.HASH))
                        .withProjection(new Projection().withProjectionType(ProjectionType.KEYS_ONLY))
                        .withProvisionedThroughput(new ProvisionedThroughput(1L, 1L)),
                new AttributeDefinition("color", "S"));
        index.waitForActive();
        var found = StreamSupport.stream(index.query("color", "red").spliterator(), false)
                .map(one -> one.getString("id")).toList();
        index.deleteGSI();
        index.waitForDelete();
        return found;
    }

    private Object gone() throws InterruptedException {
        DeleteTableRequest request = new DeleteTableRequest(Account.TABLE);
        boolean deleted = TableUtils.deleteTableIfExists(client, request);
        table.waitForDelete();
        return List.of(deleted, TableUtils.deleteTableIfExists(client, request));
    }
}
