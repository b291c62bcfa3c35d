package mapper;

import com.amazonaws.services.dynamodbv2.AmazonDynamoDB;
import com.amazonaws.services.dynamodbv2.datamodeling.DynamoDBDeleteExpression;
import com.amazonaws.services.dynamodbv2.datamodeling.DynamoDBMapper;
import com.amazonaws.services.dynamodbv2.datamodeling.DynamoDBMapperConfig.SaveBehavior;
import com.amazonaws.services.dynamodbv2.datamodeling.DynamoDBQueryExpression;
import com.amazonaws.services.dynamodbv2.datamodeling.DynamoDBSaveExpression;
import com.amazonaws.services.dynamodbv2.datamodeling.DynamoDBScanExpression;
import com.amazonaws.services.dynamodbv2.datamodeling.TransactionLoadRequest;
import com.amazonaws.services.dynamodbv2.datamodeling.TransactionWriteRequest;
import com.amazonaws.services.dynamodbv2.model.AttributeValue;
import com.amazonaws.services.dynamodbv2.model.ComparisonOperator;
import com.amazonaws.services.dynamodbv2.model.Condition;
import com.amazonaws.services.dynamodbv2.model.ConditionalOperator;
import com.amazonaws.services.dynamodbv2.model.CreateTableRequest;
import com.amazonaws.services.dynamodbv2.model.ExpectedAttributeValue;
import com.amazonaws.services.dynamodbv2.model.Projection;
import com.amazonaws.services.dynamodbv2.model.ProjectionType;
import com.amazonaws.services.dynamodbv2.model.ProvisionedThroughput;
import com.amazonaws.services.dynamodbv2.model.TableDescription;
import com.amazonaws.services.dynamodbv2.model.TransactionCanceledException;
import com.amazonaws.services.dynamodbv2.util.TableUtils;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** DynamoDBMapper: AttributeUpdates, Expected, KeyConditions, QueryFilter and ScanFilter. */
final class MapperSteps {
    private static final int ACCOUNTS = 60;
    private static final long FIRST_OPENED = 1_600_000_000_000L;

    private final AmazonDynamoDB client;
    private final DynamoDBMapper mapper;

    MapperSteps(AmazonDynamoDB client) {
        this.client = client;
        this.mapper = new DynamoDBMapper(client);
    }

    void addTo(Map<String, Program.Step> steps) {
        steps.put("table", this::table);
        steps.put("save", this::save);
        steps.put("generatedKey", this::generatedKey);
        steps.put("keysOnly", this::keysOnly);
        steps.put("version", this::version);
        steps.put("behaviors", this::behaviors);
        steps.put("expected", this::expected);
        steps.put("batches", this::batches);
        steps.put("query", this::query);
        steps.put("indexes", this::indexes);
        steps.put("scan", this::scan);
        steps.put("operators", this::operators);
        steps.put("transaction", this::transaction);
        steps.put("batchDelete", this::batchDelete);
    }

    private Object table() throws InterruptedException {
        ProvisionedThroughput throughput = new ProvisionedThroughput(5L, 5L);
        CreateTableRequest request = mapper.generateCreateTableRequest(Account.class);
        request.withProvisionedThroughput(throughput).getGlobalSecondaryIndexes().forEach(index -> index
                .withProvisionedThroughput(throughput)
                .withProjection(new Projection().withProjectionType(ProjectionType.ALL)));
        boolean created = TableUtils.createTableIfNotExists(client, request);
        TableUtils.waitUntilActive(client, Account.TABLE, 30_000, 100);
        boolean again = TableUtils.createTableIfNotExists(client, request);
        TableDescription described = client.describeTable(Account.TABLE).getTable();
        return List.of(created, again, described.getTableStatus(),
                described.getLocalSecondaryIndexes().get(0).getProjection().getProjectionType());
    }

    private Object save() {
        Account account = new Account("save", "1");
        account.setKind(Account.Kind.PERSON);
        account.setOpened(new Date(FIRST_OPENED + 1));
        account.setBalance(-5L);
        account.setTags(Set.of("b", "a"));
        account.setActive(true);
        account.setNote("déjà vu 😀");
        account.setPlaces(List.of(new Account.Place("x"), new Account.Place("")));
        mapper.save(account);
        Map<String, AttributeValue> key = Map.of("owner", text("save"), "id", text("1"));
        Map<String, String> stored = new TreeMap<>();
        client.getItem(Account.TABLE, key).getItem()
                .forEach((name, value) -> stored.put(name, value.toString()));
        return Arrays.asList(stored, summary(mapper.load(account)), account.getVersion());
    }

    private Object generatedKey() {
        Account account = new Account("generated", null);
        mapper.save(account);
        return mapper.load(Account.class, "generated", account.getId()).getVersion();
    }

    private Object keysOnly() {
        Account account = new Account("keys", "1");
        mapper.save(account);
        mapper.save(account);
        return summary(mapper.load(account));
    }

    private Object version() {
        Account first = new Account("version", "1");
        mapper.save(first);
        Account stale = mapper.load(first);
        mapper.save(first);
        return List.of(
                Program.refusal(() -> mapper.save(stale)), Program.refusal(() -> mapper.delete(stale)),
                Program.refusal(() -> mapper.save(new Account("version", "1"))),
                mapper.load(first).getVersion());
    }

    /** An account with a note, a balance and a tag is saved again, with another tag alone. */
    private Object behaviors() {
        Map<String, Object> made = new TreeMap<>();
        for (SaveBehavior behavior : SaveBehavior.values()) {
            Account account = new Account("behaviors", behavior.name());
            account.setNote("note");
            account.setBalance(7L);
            account.setTags(Set.of("1"));
            mapper.save(account);
            Account change = new Account("behaviors", behavior.name());
            change.setVersion(1L);
            change.setTags(Set.of("2"));
            mapper.save(change, behavior.config());
            made.put(behavior.name(), summary(mapper.load(change)));
        }
        return made;
    }

    private Object expected() {
        Account account = new Account("expected", "1");
        account.setBalance(3L);
        DynamoDBSaveExpression absent =
                new DynamoDBSaveExpression().withExpectedEntry("owner", new ExpectedAttributeValue(false));
        mapper.save(account, absent);
        account.setBalance(99L);
        DynamoDBSaveExpression small = new DynamoDBSaveExpression()
                .withConditionalOperator(ConditionalOperator.AND)
                .withExpectedEntry("balance", expected(ComparisonOperator.BETWEEN, number(1), number(5)));
        mapper.save(account, small);
        DynamoDBDeleteExpression noted = new DynamoDBDeleteExpression()
                .withExpectedEntry("comment", expected(ComparisonOperator.NOT_NULL));
        return List.of(
                Program.refusal(() -> mapper.save(account, absent)),
                Program.refusal(() -> mapper.save(account, small)),
                Program.refusal(() -> mapper.delete(account, noted)));
    }

    private Object batches() {
        List<Account> accounts = IntStream.range(0, ACCOUNTS).mapToObj(number -> {
            Account account = new Account("batch", "%03d".formatted(number));
            account.setKind(number % 2 == 0 ? Account.Kind.PERSON : Account.Kind.FIRM);
            account.setOpened(new Date(FIRST_OPENED + number * 1000L));
            account.setBalance(100L - number);
            account.setNote("n".repeat(number % 7 + 1));
            return account;
        }).toList();
        int failed = mapper.batchSave(accounts).size();
        List<Account> wanted = new ArrayList<>(accounts);
        wanted.add(new Account("batch", "none"));
        return List.of(failed, mapper.batchLoad(wanted).get(Account.TABLE).size());
    }

    private static DynamoDBQueryExpression<Account> batch() {
        return new DynamoDBQueryExpression<Account>().withHashKeyValues(new Account("batch", null));
    }

    private Object query() {
        var range = batch().withRangeKeyCondition("id", condition(ComparisonOperator.BEGINS_WITH, text("01")))
                .withQueryFilterEntry("kind", condition(ComparisonOperator.EQ, text("FIRM")))
                .withScanIndexForward(false);
        var expression = new DynamoDBQueryExpression<Account>()
                .withKeyConditionExpression("#o = :o AND id BETWEEN :a AND :b")
                .withFilterExpression("size(#c) > :n")
                .withExpressionAttributeNames(Map.of("#o", "owner", "#c", "comment"))
                .withExpressionAttributeValues(
                        Map.of(":o", text("batch"), ":a", text("000"), ":b", text("010"), ":n", number(4)));
        var page = mapper.queryPage(Account.class, batch().withLimit(5));
        return object(
                "paged", mapper.query(Account.class, batch().withLimit(7)).size(),
                "counted", mapper.count(Account.class, batch()),
                "range", ids(mapper.query(Account.class, range)),
                "expression", ids(mapper.query(Account.class, expression)),
                "page", List.of(page.getCount(), page.getLastEvaluatedKey().get("id").getS()));
    }

    private Object indexes() {
        Account firm = new Account();
        firm.setKind(Account.Kind.FIRM);
        var early = new DynamoDBQueryExpression<Account>().withHashKeyValues(firm).withConsistentRead(false)
                .withIndexName("by-kind").withRangeKeyCondition(
                        "opened", condition(ComparisonOperator.LT, text("2020-09-13T12:26:45.000Z")));
        var poor = batch().withIndexName("by-balance")
                .withRangeKeyCondition("balance", condition(ComparisonOperator.LE, number(45)));
        return object(
                "global", ids(mapper.query(Account.class, early)),
                "local", ids(mapper.query(Account.class, poor)));
    }

    private Object scan() {
        var some = new DynamoDBScanExpression().withConditionalOperator(ConditionalOperator.AND)
                .withFilterConditionEntry(
                        "balance", condition(ComparisonOperator.BETWEEN, number(50), number(53)))
                .withFilterConditionEntry("owner", condition(ComparisonOperator.EQ, text("batch")));
        return object(
                "filtered", mapper.scan(Account.class, some).stream().map(Account::getId).sorted().toList(),
                "paged", ofBatch(mapper.scan(Account.class, new DynamoDBScanExpression().withLimit(9))),
                "parallel", ofBatch(mapper.parallelScan(Account.class, new DynamoDBScanExpression(), 4)));
    }

    private static long ofBatch(List<Account> accounts) {
        return accounts.stream().filter(account -> account.getOwner().equals("batch")).count();
    }

    /** Counts by each operator, of notes from "n" to "nnnnnnn". */
    private Object operators() {
        List<String> counts = new ArrayList<>();
        for (ComparisonOperator operator : ComparisonOperator.values()) {
            Condition condition = switch (operator) {
                case NULL, NOT_NULL -> condition(operator);
                case BETWEEN -> condition(operator, text("n"), text("nnn"));
                case IN -> condition(operator, text("n"), text("nnn"), text("x"));
                default -> condition(operator, text("nnn"));
            };
            counts.add(operator + " " + mapper.count(
                    Account.class, batch().withQueryFilterEntry("comment", condition)));
        }
        return String.join(", ", counts);
    }

    private Object transaction() {
        Account first = new Account("transaction", "1");
        Account second = new Account("transaction", "2");
        second.setBalance(2L);
        mapper.transactionWrite(new TransactionWriteRequest().addPut(first).addUpdate(second));
        String canceled = "nothing was refused";
        try {
            mapper.transactionWrite(new TransactionWriteRequest().addUpdate(first)
                    .addPut(new Account("transaction", "2")));
        } catch (TransactionCanceledException error) {
            canceled = error.getErrorMessage();
        }
        var read = mapper.transactionLoad(new TransactionLoadRequest().addLoad(first).addLoad(second)
                .addLoad(new Account("transaction", "none")));
        return Arrays.asList(canceled, read.stream()
                .map(account -> account == null ? null : summary((Account) account)).toList());
    }

    private Object batchDelete() {
        int failed = mapper.batchDelete(mapper.query(Account.class, batch())).size();
        return List.of(failed, mapper.query(Account.class, batch()).size());
    }

    private static Object summary(Account account) {
        return Arrays.asList(
                account.getKind(), account.getBalance(), account.getActive(), account.getNote(),
                account.getTags() == null ? null : new TreeSet<>(account.getTags()), account.getVersion());
    }

    private static List<String> ids(List<Account> accounts) {
        return accounts.stream().map(Account::getId).collect(Collectors.toList());
    }

    private static Map<String, Object> object(Object... namesAndValues) {
        Map<String, Object> made = new LinkedHashMap<>();
        for (int at = 0; at < namesAndValues.length; at += 2) {
            made.put((String) namesAndValues[at], namesAndValues[at + 1]);
        }
        return made;
    }

    private static Condition condition(ComparisonOperator operator, AttributeValue... values) {
        return new Condition().withComparisonOperator(operator).withAttributeValueList(values);
    }

    private static ExpectedAttributeValue expected(ComparisonOperator operator, AttributeValue... values) {
        return new ExpectedAttributeValue().withComparisonOperator(operator).withAttributeValueList(values);
    }

    private static AttributeValue text(String text) {
        return new AttributeValue(text);
    }

    private static AttributeValue number(long number) {
        return new AttributeValue().withN(String.valueOf(number));
    }
}
