package main

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	expr "github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func (p *program) itemSteps() []step {
	return []step{
		{"table", p.table},
		{"kinds", p.kinds},
		{"update", p.update},
		{"delete", p.delete},
		{"gzip", p.gzip},
	}
}

func (p *program) table(ctx context.Context) (any, error) {
	created, err := p.client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:   aws.String(tableName),
		BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("customer"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("number"), AttributeType: types.ScalarAttributeTypeN},
			{AttributeName: aws.String("status"), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: keySchema("customer", "number"),
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName:  aws.String("by-status"),
			KeySchema:  keySchema("status", "number"),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
		}},
	})
	if err != nil {
		return nil, err
	}
	described, err := p.waitUntilActive(ctx)
	if err != nil {
		return nil, err
	}
	index := described.Table.GlobalSecondaryIndexes[0]
	return seen{
		"created":         created.TableDescription.TableStatus,
		"described":       described.Table.TableStatus,
		"index":           []any{index.IndexName, index.IndexStatus, index.Projection.ProjectionType},
		"madeThisCentury": described.Table.CreationDateTime.After(time.Unix(1_500_000_000, 0)),
	}, nil
}

func (p *program) waitUntilActive(ctx context.Context) (*dynamodb.DescribeTableOutput, error) {
	waiter := dynamodb.NewTableExistsWaiter(p.client, func(o *dynamodb.TableExistsWaiterOptions) {
		o.MinDelay = 100 * time.Millisecond
	})
	input := &dynamodb.DescribeTableInput{TableName: aws.String(tableName)}
	return waiter.WaitForOutput(ctx, input, time.Minute)
}

func keySchema(hash, sort string) []types.KeySchemaElement {
	return []types.KeySchemaElement{
		{AttributeName: aws.String(hash), KeyType: types.KeyTypeHash},
		{AttributeName: aws.String(sort), KeyType: types.KeyTypeRange},
	}
}

// A struct goes there and comes back; what differs is named.
func (p *program) kinds(ctx context.Context) (any, error) {
	placed := time.Date(2026, 1, 2, 3, 4, 5, 678_000_000, time.UTC)
	expires := attributevalue.UnixTime(time.Unix(1_800_000_000, 0))
	written := order{
		Customer: "kinds", Number: 1, Status: "OPEN", Note: "déjà vu 😀", Gift: true,
		Placed: &placed, Expires: &expires,
		Total:   attributevalue.Number("12345678901234567890.123456789"),
		Address: &address{Street: "Main Street 1"},
		Others:  []address{{City: "Bonn"}, {Street: "a", City: "b"}},
		Counts:  map[string]int{"one": 1, "minus": -1},
		Labels:  []string{"b", "a"}, Primes: []int{11, 2, 3},
		Keys: [][]byte{{1}, {}}, Photo: []byte{0, 255},
	}
	if err := p.put(ctx, written); err != nil {
		return nil, err
	}
	item, err := p.item(ctx, "kinds", 1)
	if err != nil {
		return nil, err
	}
	stored := []string{}
	for name, value := range item {
		kind := strings.TrimPrefix(reflect.TypeOf(value).Elem().Name(), "AttributeValueMember")
		stored = append(stored, name+" "+kind)
	}
	slices.Sort(stored)
	var read order
	if err := attributevalue.UnmarshalMap(item, &read); err != nil {
		return nil, err
	}
	for _, o := range []*order{&written, &read} {
		slices.Sort(o.Labels)
		slices.Sort(o.Primes)
		slices.SortFunc(o.Keys, func(a, b []byte) int { return len(a) - len(b) })
	}
	different := []string{}
	before, after := reflect.ValueOf(written), reflect.ValueOf(read)
	for at := range before.NumField() {
		if !reflect.DeepEqual(before.Field(at).Interface(), after.Field(at).Interface()) {
			different = append(different, before.Type().Field(at).Name)
		}
	}
	return seen{"stored": strings.Join(stored, ", "), "different": different}, nil
}

func (p *program) put(ctx context.Context, written order) error {
	item, err := attributevalue.MarshalMap(written)
	if err != nil {
		return err
	}
	_, err = p.client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: aws.String(tableName), Item: item,
	})
	return err
}

func (p *program) item(ctx context.Context, customer string, number int64) (wireItem, error) {
	key, err := keyOf(customer, number)
	if err != nil {
		return nil, err
	}
	got, err := p.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: aws.String(tableName), Key: key, ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return nil, err
	}
	return got.Item, nil
}

// Each clause of an update, as the expression builder writes them.
func (p *program) update(ctx context.Context) (any, error) {
	if err := p.put(ctx, order{
		Customer: "update", Number: 1, Note: "gone", Labels: []string{"a", "b"},
		Others: []address{{Street: "old"}}, Counts: map[string]int{"one": 1},
	}); err != nil {
		return nil, err
	}
	taken := types.AttributeValueMemberSS{Value: []string{"a"}}
	built, err := expr.NewBuilder().WithUpdate(
		expr.Set(expr.Name("status"), expr.Value("SENT")).
			Set(expr.Name("counts.one"), expr.Name("counts.one").Plus(expr.Value(41))).
			Set(expr.Name("visits"), expr.IfNotExists(expr.Name("visits"), expr.Value(7))).
			Set(expr.Name("others"), expr.ListAppend(
				expr.Name("others"), expr.Value([]address{{Street: "new"}}))).
			Remove(expr.Name("note")).
			Add(expr.Name("points"), expr.Value(5)).
			Delete(expr.Name("labels"), expr.Value(&taken)),
	).WithCondition(
		expr.Name("others[0].street").BeginsWith("ol").And(expr.Name("labels").Contains("b")),
	).Build()
	if err != nil {
		return nil, err
	}
	key, err := keyOf("update", 1)
	if err != nil {
		return nil, err
	}
	updated, err := p.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: aws.String(tableName), Key: key,
		UpdateExpression: built.Update(), ConditionExpression: built.Condition(),
		ExpressionAttributeNames: built.Names(), ExpressionAttributeValues: built.Values(),
		ReturnValues:           types.ReturnValueAllNew,
		ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes,
	})
	if err != nil {
		return nil, err
	}
	var attributes seen
	if err := attributevalue.UnmarshalMap(updated.Attributes, &attributes); err != nil {
		return nil, err
	}
	return seen{
		"attributes": attributes,
		"units":      *updated.ConsumedCapacity.CapacityUnits,
		"index":      *updated.ConsumedCapacity.GlobalSecondaryIndexes["by-status"].CapacityUnits,
	}, nil
}

func (p *program) delete(ctx context.Context) (any, error) {
	if err := p.put(ctx, order{Customer: "delete", Number: 1, Note: "old"}); err != nil {
		return nil, err
	}
	key, err := keyOf("delete", 1)
	if err != nil {
		return nil, err
	}
	deleted, err := p.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: aws.String(tableName), Key: key, ReturnValues: types.ReturnValueAllOld,
	})
	if err != nil {
		return nil, err
	}
	var old order
	if err := attributevalue.UnmarshalMap(deleted.Attributes, &old); err != nil {
		return nil, err
	}
	left, err := p.item(ctx, "delete", 1)
	return seen{"old": old.Note, "left": len(left)}, err
}

// The client checks the CRC32 of what came over the wire, compressed or not.
func (p *program) gzip(ctx context.Context) (any, error) {
	long := strings.Repeat("compressible ", 10_000)
	if err := p.put(ctx, order{Customer: "gzip", Number: 1, Note: long}); err != nil {
		return nil, err
	}
	small := p.answers.last.Load()
	item, err := p.item(ctx, "gzip", 1)
	if err != nil {
		return nil, err
	}
	large := p.answers.last.Load()
	note, _ := item["note"].(*types.AttributeValueMemberS)
	return seen{
		"same":     note != nil && note.Value == long,
		"encoding": []string{small.Get("Content-Encoding"), large.Get("Content-Encoding")},
		"checked":  small.Get("X-Amz-Crc32") != "" && large.Get("X-Amz-Crc32") != "",
	}, nil
}
