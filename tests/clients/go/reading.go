package main

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	expr "github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const (
	orders   = 60
	writers  = 20
	perBatch = 25
)

func (p *program) readingSteps() []step {
	return []step{
		{"batchWrite", p.batchWrite},
		{"batchGet", p.batchGet},
		{"query", p.query},
		{"queryIndex", p.queryIndex},
		{"scan", p.scan},
		{"segments", p.segments},
		{"concurrent", p.concurrent},
	}
}

// As people do it: what was not processed is sent again.
func (p *program) batchWrite(ctx context.Context) (any, error) {
	requests := []types.WriteRequest{}
	for number := range int64(orders) {
		item, err := attributevalue.MarshalMap(order{
			Customer: "batch", Number: number, Note: fmt.Sprint("note ", number),
			Status: []string{"OPEN", "SENT"}[number%2],
		})
		if err != nil {
			return nil, err
		}
		requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: item}})
	}
	rounds := 0
	for batch := range slices.Chunk(requests, perBatch) {
		left := map[string][]types.WriteRequest{tableName: batch}
		for ; len(left) > 0; rounds++ {
			answer, err := p.client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: left})
			if err != nil {
				return nil, err
			}
			left = answer.UnprocessedItems
		}
	}
	return seen{"rounds": rounds}, nil
}

func (p *program) batchGet(ctx context.Context) (any, error) {
	keys := []wireItem{}
	for number := range int64(orders + 1) {
		key, err := keyOf("batch", number)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	projection, err := expr.NewBuilder().WithProjection(expr.NamesList(expr.Name("number"))).Build()
	if err != nil {
		return nil, err
	}
	left := map[string]types.KeysAndAttributes{tableName: {
		Keys: keys, ProjectionExpression: projection.Projection(),
		ExpressionAttributeNames: projection.Names(),
	}}
	found := []wireItem{}
	for len(left) > 0 {
		answer, err := p.client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: left})
		if err != nil {
			return nil, err
		}
		found = append(found, answer.Responses[tableName]...)
		left = answer.UnprocessedKeys
	}
	return seen{"found": len(found), "attributes": len(found[0])}, nil
}

// Key condition, filter and projection share names and values.
func (p *program) query(ctx context.Context) (any, error) {
	built, err := expr.NewBuilder().
		WithKeyCondition(expr.Key("customer").Equal(expr.Value("batch")).And(
			expr.Key("number").Between(expr.Value(10), expr.Value(19)))).
		WithFilter(expr.Name("status").Equal(expr.Value("SENT")).Or(
			expr.Name("note").In(expr.Value("note 10"), expr.Value("note 18")))).
		WithProjection(expr.NamesList(expr.Name("number"), expr.Name("status"))).
		Build()
	if err != nil {
		return nil, err
	}
	return p.queryPages(ctx, &dynamodb.QueryInput{
		TableName: aws.String(tableName), Limit: aws.Int32(4), ScanIndexForward: aws.Bool(false),
		KeyConditionExpression: built.KeyCondition(), FilterExpression: built.Filter(),
		ProjectionExpression:     built.Projection(),
		ExpressionAttributeNames: built.Names(), ExpressionAttributeValues: built.Values(),
	})
}

func (p *program) queryIndex(ctx context.Context) (any, error) {
	built, err := expr.NewBuilder().WithKeyCondition(
		expr.Key("status").Equal(expr.Value("OPEN")).And(expr.Key("number").GreaterThan(expr.Value(50))),
	).Build()
	if err != nil {
		return nil, err
	}
	return p.queryPages(ctx, &dynamodb.QueryInput{
		TableName: aws.String(tableName), IndexName: aws.String("by-status"), Limit: aws.Int32(2),
		KeyConditionExpression:   built.KeyCondition(),
		ExpressionAttributeNames: built.Names(), ExpressionAttributeValues: built.Values(),
	})
}

func (p *program) queryPages(ctx context.Context, input *dynamodb.QueryInput) (any, error) {
	pages := []string{}
	for paginator := dynamodb.NewQueryPaginator(p.client, input); paginator.HasMorePages(); {
		page, err := paginator.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		var read []order
		if err := attributevalue.UnmarshalListOfMaps(page.Items, &read); err != nil {
			return nil, err
		}
		numbers := []int64{}
		for _, o := range read {
			numbers = append(numbers, o.Number)
		}
		pages = append(pages, fmt.Sprintf("%v of %d", numbers, page.ScannedCount))
	}
	return pages, nil
}

func (p *program) scan(ctx context.Context) (any, error) {
	built, err := expr.NewBuilder().WithFilter(
		expr.Name("customer").Equal(expr.Value("batch")).
			And(expr.Name("note").Size().LessThan(expr.Value(7)), expr.Name("gift").AttributeNotExists(),
				expr.Not(expr.Name("status").AttributeType(expr.Number)))).
		Build()
	if err != nil {
		return nil, err
	}
	paginator := dynamodb.NewScanPaginator(p.client, &dynamodb.ScanInput{
		TableName: aws.String(tableName), Limit: aws.Int32(7), FilterExpression: built.Filter(),
		ExpressionAttributeNames: built.Names(), ExpressionAttributeValues: built.Values(),
	})
	found := 0
	for paginator.HasMorePages() {
		page, err := paginator.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		found += int(page.Count)
	}
	return found, nil
}

func (p *program) segments(ctx context.Context) (any, error) {
	const segments = 3
	found := 0
	for segment := range int32(segments) {
		page, err := p.client.Scan(ctx, &dynamodb.ScanInput{
			TableName: aws.String(tableName), IndexName: aws.String("by-status"),
			Segment: aws.Int32(segment), TotalSegments: aws.Int32(segments),
		})
		if err != nil {
			return nil, err
		}
		var read []order
		if err := attributevalue.UnmarshalListOfMaps(page.Items, &read); err != nil {
			return nil, err
		}
		for _, o := range read {
			if o.Customer == "batch" {
				found++
			}
		}
	}
	return found, nil
}

// Nobody's addition is lost.
func (p *program) concurrent(ctx context.Context) (any, error) {
	built, err := expr.NewBuilder().WithUpdate(expr.Add(expr.Name("visits"), expr.Value(1))).Build()
	if err != nil {
		return nil, err
	}
	key, err := keyOf("concurrent", 1)
	if err != nil {
		return nil, err
	}
	faults := make([]error, writers)
	var all sync.WaitGroup
	for writer := range writers {
		all.Add(1)
		go func() {
			defer all.Done()
			_, faults[writer] = p.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
				TableName: aws.String(tableName), Key: key, UpdateExpression: built.Update(),
				ExpressionAttributeNames: built.Names(), ExpressionAttributeValues: built.Values(),
			})
		}()
	}
	all.Wait()
	for _, fault := range faults {
		if fault != nil {
			return nil, fault
		}
	}
	item, err := p.item(ctx, "concurrent", 1)
	if err != nil {
		return nil, err
	}
	var visits int
	err = attributevalue.Unmarshal(item["visits"], &visits)
	return visits, err
}
