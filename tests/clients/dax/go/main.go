// What the Go client of DAX sees of a server; run by pytest. Its argument is the endpoint.
// The steps are those of the Python program.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"sort"
	"strconv"
	"strings"

	"github.com/aws/aws-dax-go-v2/dax"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

type item = map[string]types.AttributeValue
type seen = map[string]any

var client *dax.Dax
var ctx = context.Background()

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func s(value string) types.AttributeValue { return &types.AttributeValueMemberS{Value: value} }
func n(value string) types.AttributeValue { return &types.AttributeValueMemberN{Value: value} }
func sOf(value types.AttributeValue) string {
	return value.(*types.AttributeValueMemberS).Value
}
func mOf(value types.AttributeValue) item { return value.(*types.AttributeValueMemberM).Value }

// The client writes fractions with an exponent.
func nOf(value types.AttributeValue) string {
	text := value.(*types.AttributeValueMemberN).Value
	number := must(strconv.ParseFloat(text, 64))
	return strconv.FormatFloat(number, 'f', -1, 64)
}

func refusal(err error) []string {
	var refused smithy.APIError
	if !errors.As(err, &refused) {
		return []string{fmt.Sprint(err)}
	}
	return []string{refused.ErrorCode(), strings.TrimPrefix(refused.ErrorMessage(), "api error "+refused.ErrorCode()+": ")}
}

func items() seen {
	kinds := item{
		"pk": s("kinds"), "s": s("ü"), "n": n("-12345678901234567890"),
		"b": &types.AttributeValueMemberB{Value: []byte{0, 255}},
		"t": &types.AttributeValueMemberBOOL{Value: true},
		"z": &types.AttributeValueMemberNULL{Value: true},
		"l": &types.AttributeValueMemberL{Value: []types.AttributeValue{
			n("1"),
			&types.AttributeValueMemberM{Value: item{
				"x": s("deep"), "y": &types.AttributeValueMemberL{Value: []types.AttributeValue{}},
			}},
			s(""),
		}},
		"ss": &types.AttributeValueMemberSS{Value: []string{"a", "b"}},
		"ns": &types.AttributeValueMemberNS{Value: []string{"1", "2"}},
		"bs": &types.AttributeValueMemberBS{Value: [][]byte{[]byte("a"), []byte("b")}},
	}
	flat, key := aws.String("flat"), item{"pk": s("kinds")}
	must(client.PutItem(ctx, &dynamodb.PutItemInput{TableName: flat, Item: kinds}))
	got := must(client.GetItem(ctx, &dynamodb.GetItemInput{TableName: flat, Key: key})).Item
	missing := must(client.GetItem(ctx, &dynamodb.GetItemInput{TableName: flat, Key: item{"pk": s("none")}}))
	part := must(client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: flat, Key: key, ProjectionExpression: aws.String("#s, l[1].x, l[2]"),
		ExpressionAttributeNames: map[string]string{"#s": "s"},
	})).Item
	updated := must(client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: flat, Key: key,
		UpdateExpression: aws.String("SET o = :o, c = if_not_exists(c, :one) + :one REMOVE ss ADD v :one"),
		ConditionExpression: aws.String(
			"attribute_exists(pk) AND (n < :one OR size(l) > :one) AND NOT t = :one"),
		ExpressionAttributeValues: item{
			":o": &types.AttributeValueMemberM{Value: item{"q": n("7.50")}}, ":one": n("1"),
		},
		ReturnValues: types.ReturnValueUpdatedNew,
	})).Attributes
	nested := must(client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: flat, Key: key, UpdateExpression: aws.String("SET o.q = :i"),
		ExpressionAttributeValues: item{":i": n("9")}, ReturnValues: types.ReturnValueUpdatedNew,
	})).Attributes
	old := must(client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: flat, Key: key, ReturnValues: types.ReturnValueAllOld,
	})).Attributes
	list := part["l"].(*types.AttributeValueMemberL).Value
	names := []string{}
	for name := range nested {
		names = append(names, name)
	}
	_, hasSet := old["ss"]
	return seen{
		"same":    reflect.DeepEqual(got, kinds),
		"missing": missing.Item == nil,
		"part":    []string{sOf(part["s"]), sOf(mOf(list[0])["x"]), sOf(list[1])},
		"updated": []string{nOf(mOf(updated["o"])["q"]), nOf(updated["c"]), nOf(updated["v"])},
		"nested":  []any{names, nOf(mOf(nested["o"])["q"])},
		"old":     []any{sOf(old["pk"]), nOf(old["v"]), hasSet},
	}
}

func pages() seen {
	between := must(client.Query(ctx, &dynamodb.QueryInput{
		TableName:              aws.String("sorted"),
		KeyConditionExpression: aws.String("pk = :p AND sk BETWEEN :low AND :high"),
		FilterExpression:       aws.String("v IN (:a, :b)"),
		ExpressionAttributeValues: item{
			":p": s("p"), ":low": n("2"), ":high": n("7.5"), ":a": n("3"), ":b": n("5"),
		},
		ScanIndexForward:       aws.Bool(false),
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	}))
	keys := []string{}
	for _, each := range between.Items {
		keys = append(keys, nOf(each["sk"]))
	}
	index, start := [][]string{}, item(nil)
	for {
		page := must(client.Query(ctx, &dynamodb.QueryInput{
			TableName: aws.String("sorted"), IndexName: aws.String("by-g"),
			KeyConditionExpression:    aws.String("g = :g"),
			ExpressionAttributeValues: item{":g": s("even")},
			ProjectionExpression:      aws.String("sk"),
			Limit:                     aws.Int32(2), ExclusiveStartKey: start,
		}))
		found := []string{}
		for _, each := range page.Items {
			found = append(found, nOf(each["sk"]))
		}
		index = append(index, found)
		if start = page.LastEvaluatedKey; start == nil {
			break
		}
	}
	scan := []int32{}
	for {
		page := must(client.Scan(ctx, &dynamodb.ScanInput{
			TableName: aws.String("sorted"), Limit: aws.Int32(4), ExclusiveStartKey: start,
		}))
		scan = append(scan, page.Count)
		if start = page.LastEvaluatedKey; start == nil {
			break
		}
	}
	counted := must(client.Scan(ctx, &dynamodb.ScanInput{
		TableName: aws.String("sorted"), Select: types.SelectCount,
	}))
	return seen{
		"between": keys, "counts": []int32{between.Count, between.ScannedCount},
		"units": between.ConsumedCapacity.CapacityUnits, "index": index, "scan": scan,
		"count": counted.Count,
	}
}

func batches() seen {
	writes, keys := []types.WriteRequest{}, []item{}
	for number := range 25 {
		key := item{"pk": s(fmt.Sprintf("b%d", number))}
		keys = append(keys, key)
		put := item{"pk": key["pk"], "v": n(strconv.Itoa(number))}
		writes = append(writes, types.WriteRequest{PutRequest: &types.PutRequest{Item: put}})
	}
	written := must(client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
		RequestItems: map[string][]types.WriteRequest{"flat": writes},
	}))
	remove := types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: keys[0]}}
	must(client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
		RequestItems: map[string][]types.WriteRequest{"flat": {remove}},
	}))
	got := must(client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
		RequestItems: map[string]types.KeysAndAttributes{
			"flat": {Keys: keys, ProjectionExpression: aws.String("v")},
			"sorted": {
				Keys: []item{{"pk": s("p"), "sk": n("1")}}, ConsistentRead: aws.Bool(true),
			},
		},
	}))
	sum, groups := 0, []string{}
	for _, each := range got.Responses["flat"] {
		sum += must(strconv.Atoi(nOf(each["v"])))
	}
	for _, each := range got.Responses["sorted"] {
		groups = append(groups, sOf(each["g"]))
	}
	return seen{
		"unprocessed": len(written.UnprocessedItems) + len(got.UnprocessedKeys), "sum": sum,
		"found": []any{len(got.Responses["flat"]), groups},
	}
}

func transactions() seen {
	flat := aws.String("flat")
	put := types.Put{TableName: flat, Item: item{"pk": s("t1"), "v": n("1")}}
	remove := types.TransactWriteItem{Delete: &types.Delete{TableName: flat, Key: item{"pk": s("t3")}}}
	must(client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
		TransactItems: []types.TransactWriteItem{
			{Put: &put},
			{ConditionCheck: &types.ConditionCheck{
				TableName: aws.String("sorted"), Key: item{"pk": s("p"), "sk": n("1")},
				ConditionExpression: aws.String("attribute_exists(pk)"),
			}},
			{Update: &types.Update{
				TableName: flat, Key: item{"pk": s("t2")}, UpdateExpression: aws.String("SET v = :v"),
				ExpressionAttributeValues: item{":v": n("2")},
			}},
			remove,
		},
	}))
	gets := []types.TransactGetItem{}
	for _, name := range []string{"t1", "t2", "t3"} {
		gets = append(gets, types.TransactGetItem{Get: &types.Get{TableName: flat, Key: item{"pk": s(name)}}})
	}
	got := []any{}
	for _, each := range must(client.TransactGetItems(ctx, &dynamodb.TransactGetItemsInput{
		TransactItems: gets,
	})).Responses {
		if each.Item == nil {
			got = append(got, nil)
		} else {
			got = append(got, nOf(each.Item["v"]))
		}
	}
	put.ConditionExpression = aws.String("attribute_not_exists(pk)")
	_, err := client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
		TransactItems: []types.TransactWriteItem{{Put: &put}, remove},
	})
	reasons := []string{}
	var cancelled *types.TransactionCanceledException
	if errors.As(err, &cancelled) {
		for _, each := range cancelled.CancellationReasons {
			reasons = append(reasons, aws.ToString(each.Code))
		}
	}
	return seen{"got": got, "reasons": reasons}
}

func refusals() seen {
	_, condition := client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: aws.String("sorted"), Item: item{"pk": s("p"), "sk": n("1")},
		ConditionExpression: aws.String("attribute_not_exists(pk)"),
	})
	_, table := client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: aws.String("nothing"), Key: item{"pk": s("a")},
	})
	_, update := client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: aws.String("flat"), Key: item{"pk": s("a")},
		UpdateExpression:          aws.String("SET pk = :v"),
		ExpressionAttributeValues: item{":v": s("b")},
	})
	return seen{
		"condition": refusal(condition), "table": refusal(table)[0], "update": refusal(update),
	}
}

func main() {
	config := dax.DefaultConfig()
	config.HostPorts = []string{os.Args[1]}
	config.Region = "us-east-1"
	config.Credentials = credentials.NewStaticCredentialsProvider(
		os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"), "")
	client = must(dax.New(config))
	steps := map[string]func() seen{
		"items": items, "pages": pages, "batches": batches, "transactions": transactions,
		"refusals": refusals,
	}
	names := []string{}
	for name := range steps {
		names = append(names, name)
	}
	sort.Strings(names)
	all := seen{}
	for _, name := range names {
		all[name] = steps[name]()
	}
	fmt.Println(string(must(json.Marshal(all))))
}
