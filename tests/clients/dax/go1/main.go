// What the Go client of DAX for aws-sdk-go 1 sees of a server; run by pytest. Its argument is the endpoint.
// The steps are those of the Python program.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"sort"
	"strconv"

	"github.com/aws/aws-dax-go/dax"
	"github.com/aws/aws-sdk-go/aws"
	"github.com/aws/aws-sdk-go/aws/awserr"
	"github.com/aws/aws-sdk-go/aws/credentials"
	"github.com/aws/aws-sdk-go/service/dynamodb"
)

type value = dynamodb.AttributeValue
type item = map[string]*value
type seen = map[string]any

var client *dax.Dax

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func s(text string) *value { return &value{S: &text} }
func n(text string) *value { return &value{N: &text} }

// The client writes fractions with an exponent.
func nOf(number *value) string {
	return strconv.FormatFloat(must(strconv.ParseFloat(*number.N, 64)), 'f', -1, 64)
}

func refusal(err error) []string {
	var refused awserr.Error
	if !errors.As(err, &refused) {
		return []string{fmt.Sprint(err)}
	}
	return []string{refused.Code(), refused.Message()}
}

func items() seen {
	kinds := item{
		"pk": s("kinds"), "s": s("ü"), "n": n("-12345678901234567890"),
		"b": {B: []byte{0, 255}},
		"t": {BOOL: aws.Bool(true)},
		"z": {NULL: aws.Bool(true)},
		"l": {L: []*value{
			n("1"),
			{M: item{"x": s("deep"), "y": {L: []*value{}}}},
			s(""),
		}},
		"ss": {SS: aws.StringSlice([]string{"a", "b"})},
		"ns": {NS: aws.StringSlice([]string{"1", "2"})},
		"bs": {BS: [][]byte{[]byte("a"), []byte("b")}},
	}
	flat, key := aws.String("flat"), item{"pk": s("kinds")}
	must(client.PutItem(&dynamodb.PutItemInput{TableName: flat, Item: kinds}))
	got := must(client.GetItem(&dynamodb.GetItemInput{TableName: flat, Key: key})).Item
	missing := must(client.GetItem(&dynamodb.GetItemInput{TableName: flat, Key: item{"pk": s("none")}}))
	part := must(client.GetItem(&dynamodb.GetItemInput{
		TableName: flat, Key: key, ProjectionExpression: aws.String("#s, l[1].x, l[2]"),
		ExpressionAttributeNames: map[string]*string{"#s": aws.String("s")},
	})).Item
	updated := must(client.UpdateItem(&dynamodb.UpdateItemInput{
		TableName: flat, Key: key,
		UpdateExpression: aws.String("SET o = :o, c = if_not_exists(c, :one) + :one REMOVE ss ADD v :one"),
		ConditionExpression: aws.String(
			"attribute_exists(pk) AND (n < :one OR size(l) > :one) AND NOT t = :one"),
		ExpressionAttributeValues: item{":o": {M: item{"q": n("7.50")}}, ":one": n("1")},
		ReturnValues:              aws.String("UPDATED_NEW"),
	})).Attributes
	nested := must(client.UpdateItem(&dynamodb.UpdateItemInput{
		TableName: flat, Key: key, UpdateExpression: aws.String("SET o.q = :i"),
		ExpressionAttributeValues: item{":i": n("9")}, ReturnValues: aws.String("UPDATED_NEW"),
	})).Attributes
	old := must(client.DeleteItem(&dynamodb.DeleteItemInput{
		TableName: flat, Key: key, ReturnValues: aws.String("ALL_OLD"),
	})).Attributes
	list := part["l"].L
	names := []string{}
	for name := range nested {
		names = append(names, name)
	}
	_, hasSet := old["ss"]
	return seen{
		"same":    reflect.DeepEqual(got, kinds),
		"missing": missing.Item == nil,
		"part":    []string{*part["s"].S, *list[0].M["x"].S, *list[1].S},
		"updated": []string{nOf(updated["o"].M["q"]), nOf(updated["c"]), nOf(updated["v"])},
		"nested":  []any{names, nOf(nested["o"].M["q"])},
		"old":     []any{*old["pk"].S, nOf(old["v"]), hasSet},
	}
}

func pages() seen {
	between := must(client.Query(&dynamodb.QueryInput{
		TableName:              aws.String("sorted"),
		KeyConditionExpression: aws.String("pk = :p AND sk BETWEEN :low AND :high"),
		FilterExpression:       aws.String("v IN (:a, :b)"),
		ExpressionAttributeValues: item{
			":p": s("p"), ":low": n("2"), ":high": n("7.5"), ":a": n("3"), ":b": n("5"),
		},
		ScanIndexForward:       aws.Bool(false),
		ReturnConsumedCapacity: aws.String("TOTAL"),
	}))
	keys := []string{}
	for _, each := range between.Items {
		keys = append(keys, nOf(each["sk"]))
	}
	index, start := [][]string{}, item(nil)
	for {
		page := must(client.Query(&dynamodb.QueryInput{
			TableName: aws.String("sorted"), IndexName: aws.String("by-g"),
			KeyConditionExpression:    aws.String("g = :g"),
			ExpressionAttributeValues: item{":g": s("even")},
			ProjectionExpression:      aws.String("sk"),
			Limit:                     aws.Int64(2), ExclusiveStartKey: start,
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
	scan := []int64{}
	for {
		page := must(client.Scan(&dynamodb.ScanInput{
			TableName: aws.String("sorted"), Limit: aws.Int64(4), ExclusiveStartKey: start,
		}))
		scan = append(scan, *page.Count)
		if start = page.LastEvaluatedKey; start == nil {
			break
		}
	}
	counted := must(client.Scan(&dynamodb.ScanInput{
		TableName: aws.String("sorted"), Select: aws.String("COUNT"),
	}))
	return seen{
		"between": keys, "counts": []int64{*between.Count, *between.ScannedCount},
		"units": between.ConsumedCapacity.CapacityUnits, "index": index, "scan": scan,
		"count": counted.Count,
	}
}

func batches() seen {
	writes, keys := []*dynamodb.WriteRequest{}, []item{}
	for number := range 25 {
		key := item{"pk": s(fmt.Sprintf("b%d", number))}
		keys = append(keys, key)
		put := item{"pk": key["pk"], "v": n(strconv.Itoa(number))}
		writes = append(writes, &dynamodb.WriteRequest{PutRequest: &dynamodb.PutRequest{Item: put}})
	}
	written := must(client.BatchWriteItem(&dynamodb.BatchWriteItemInput{
		RequestItems: map[string][]*dynamodb.WriteRequest{"flat": writes},
	}))
	remove := &dynamodb.WriteRequest{DeleteRequest: &dynamodb.DeleteRequest{Key: keys[0]}}
	must(client.BatchWriteItem(&dynamodb.BatchWriteItemInput{
		RequestItems: map[string][]*dynamodb.WriteRequest{"flat": {remove}},
	}))
	got := must(client.BatchGetItem(&dynamodb.BatchGetItemInput{
		RequestItems: map[string]*dynamodb.KeysAndAttributes{
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
		groups = append(groups, *each["g"].S)
	}
	return seen{
		"unprocessed": len(written.UnprocessedItems) + len(got.UnprocessedKeys), "sum": sum,
		"found": []any{len(got.Responses["flat"]), groups},
	}
}

func transactions() seen {
	flat := aws.String("flat")
	put := dynamodb.Put{TableName: flat, Item: item{"pk": s("t1"), "v": n("1")}}
	remove := &dynamodb.TransactWriteItem{Delete: &dynamodb.Delete{TableName: flat, Key: item{"pk": s("t3")}}}
	must(client.TransactWriteItems(&dynamodb.TransactWriteItemsInput{
		TransactItems: []*dynamodb.TransactWriteItem{
			{Put: &put},
			{ConditionCheck: &dynamodb.ConditionCheck{
				TableName: aws.String("sorted"), Key: item{"pk": s("p"), "sk": n("1")},
				ConditionExpression: aws.String("attribute_exists(pk)"),
			}},
			{Update: &dynamodb.Update{
				TableName: flat, Key: item{"pk": s("t2")}, UpdateExpression: aws.String("SET v = :v"),
				ExpressionAttributeValues: item{":v": n("2")},
			}},
			remove,
		},
	}))
	gets := []*dynamodb.TransactGetItem{}
	for _, name := range []string{"t1", "t2", "t3"} {
		gets = append(gets, &dynamodb.TransactGetItem{Get: &dynamodb.Get{TableName: flat, Key: item{"pk": s(name)}}})
	}
	got := []any{}
	for _, each := range must(client.TransactGetItems(&dynamodb.TransactGetItemsInput{
		TransactItems: gets,
	})).Responses {
		if each.Item == nil {
			got = append(got, nil)
		} else {
			got = append(got, nOf(each.Item["v"]))
		}
	}
	put.ConditionExpression = aws.String("attribute_not_exists(pk)")
	_, err := client.TransactWriteItems(&dynamodb.TransactWriteItemsInput{
		TransactItems: []*dynamodb.TransactWriteItem{{Put: &put}, remove},
	})
	reasons := []string{}
	var cancelled *dynamodb.TransactionCanceledException
	if errors.As(err, &cancelled) {
		for _, each := range cancelled.CancellationReasons {
			reasons = append(reasons, aws.StringValue(each.Code))
		}
	}
	return seen{"got": got, "reasons": reasons}
}

func refusals() seen {
	_, condition := client.PutItem(&dynamodb.PutItemInput{
		TableName: aws.String("sorted"), Item: item{"pk": s("p"), "sk": n("1")},
		ConditionExpression: aws.String("attribute_not_exists(pk)"),
	})
	_, table := client.GetItem(&dynamodb.GetItemInput{
		TableName: aws.String("nothing"), Key: item{"pk": s("a")},
	})
	_, update := client.UpdateItem(&dynamodb.UpdateItemInput{
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
	config.Credentials = credentials.NewStaticCredentials(
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
