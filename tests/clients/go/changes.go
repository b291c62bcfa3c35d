package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	expr "github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

func (p *program) changeSteps() []step {
	return []step{
		{"transaction", p.transaction},
		{"canceled", p.canceled},
		{"stream", p.stream},
		{"timeToLive", p.timeToLive},
	}
}

// Every action that there is, in one.
func (p *program) transaction(ctx context.Context) (any, error) {
	for number := range int64(3) {
		if err := p.put(ctx, order{Customer: "transaction", Number: number, Note: "old"}); err != nil {
			return nil, err
		}
	}
	keys := make([]wireItem, 4)
	for number := range keys {
		var err error
		if keys[number], err = keyOf("transaction", int64(number)); err != nil {
			return nil, err
		}
	}
	exists, err := expr.NewBuilder().WithCondition(expr.Name("customer").AttributeExists()).Build()
	if err != nil {
		return nil, err
	}
	noted, err := expr.NewBuilder().WithUpdate(expr.Set(expr.Name("note"), expr.Value("changed"))).Build()
	if err != nil {
		return nil, err
	}
	table := aws.String(tableName)
	written, err := p.client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
		TransactItems: []types.TransactWriteItem{
			{ConditionCheck: &types.ConditionCheck{
				TableName: table, Key: keys[0],
				ConditionExpression: exists.Condition(), ExpressionAttributeNames: exists.Names(),
			}},
			{Update: &types.Update{
				TableName: table, Key: keys[1], UpdateExpression: noted.Update(),
				ExpressionAttributeNames: noted.Names(), ExpressionAttributeValues: noted.Values(),
			}},
			{Delete: &types.Delete{TableName: table, Key: keys[2]}},
			{Put: &types.Put{TableName: table, Item: keys[3]}},
		},
	})
	if err != nil {
		return nil, err
	}
	gets := []types.TransactGetItem{}
	for _, key := range keys {
		gets = append(gets, types.TransactGetItem{Get: &types.Get{TableName: table, Key: key}})
	}
	read, err := p.client.TransactGetItems(ctx, &dynamodb.TransactGetItemsInput{TransactItems: gets})
	if err != nil {
		return nil, err
	}
	notes := []string{}
	for _, response := range read.Responses {
		var found order
		if err := attributevalue.UnmarshalMap(response.Item, &found); err != nil {
			return nil, err
		}
		notes = append(notes, fmt.Sprint(found.Customer, " ", found.Note))
	}
	return seen{"notes": notes, "units": *written.ConsumedCapacity[0].CapacityUnits}, nil
}

// The error tells of each action, and has the item that stood in the way.
func (p *program) canceled(ctx context.Context) (any, error) {
	if err := p.put(ctx, order{Customer: "canceled", Number: 1, Note: "mine"}); err != nil {
		return nil, err
	}
	free, err := keyOf("canceled", 0)
	if err != nil {
		return nil, err
	}
	taken, err := keyOf("canceled", 1)
	if err != nil {
		return nil, err
	}
	_, err = p.client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
		TransactItems: []types.TransactWriteItem{
			{Put: &types.Put{TableName: aws.String(tableName), Item: free}},
			{Put: &types.Put{
				TableName: aws.String(tableName), Item: taken,
				ConditionExpression:                 aws.String("attribute_not_exists(customer)"),
				ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
			}},
		},
	})
	var canceled *types.TransactionCanceledException
	if !errors.As(err, &canceled) {
		return told(err), nil
	}
	codes := []*string{}
	for _, reason := range canceled.CancellationReasons {
		codes = append(codes, reason.Code)
	}
	var found order
	if err := attributevalue.UnmarshalMap(canceled.CancellationReasons[1].Item, &found); err != nil {
		return nil, err
	}
	left, fault := p.item(ctx, "canceled", 0)
	return seen{"codes": codes, "found": found.Note, "left": len(left), "error": told(err)}, fault
}

// A stream is turned on, and has what happens from then on.
func (p *program) stream(ctx context.Context) (any, error) {
	updated, err := p.client.UpdateTable(ctx, &dynamodb.UpdateTableInput{
		TableName: aws.String(tableName),
		StreamSpecification: &types.StreamSpecification{
			StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages,
		},
	})
	if err != nil {
		return nil, err
	}
	if _, err := p.waitUntilActive(ctx); err != nil {
		return nil, err
	}
	for _, note := range []string{"first", "second"} {
		if err := p.put(ctx, order{Customer: "stream", Number: 1, Note: note}); err != nil {
			return nil, err
		}
	}
	options := p.client.Options()
	streams := dynamodbstreams.New(dynamodbstreams.Options{
		BaseEndpoint: options.BaseEndpoint, Region: options.Region, Credentials: options.Credentials,
	})
	arn := updated.TableDescription.LatestStreamArn
	described, err := streams.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: arn})
	if err != nil {
		return nil, err
	}
	start, err := streams.GetShardIterator(ctx, &dynamodbstreams.GetShardIteratorInput{
		StreamArn: arn, ShardId: described.StreamDescription.Shards[0].ShardId,
		ShardIteratorType: streamtypes.ShardIteratorTypeTrimHorizon,
	})
	if err != nil {
		return nil, err
	}
	read, err := streams.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{
		ShardIterator: start.ShardIterator,
	})
	if err != nil {
		return nil, err
	}
	records := []string{}
	for _, record := range read.Records {
		images, err := attributevalue.FromDynamoDBStreamsMap(record.Dynamodb.NewImage)
		if err != nil {
			return nil, err
		}
		var found order
		if err := attributevalue.UnmarshalMap(images, &found); err != nil {
			return nil, err
		}
		records = append(records, fmt.Sprint(record.EventName, " ", found.Note))
	}
	return records, nil
}

func (p *program) timeToLive(ctx context.Context) (any, error) {
	_, err := p.client.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName: aws.String(tableName),
		TimeToLiveSpecification: &types.TimeToLiveSpecification{
			AttributeName: aws.String("expires"), Enabled: aws.Bool(true),
		},
	})
	if err != nil {
		return nil, err
	}
	described, err := p.client.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{
		TableName: aws.String(tableName),
	})
	if err != nil {
		return nil, err
	}
	return described.TimeToLiveDescription.AttributeName, nil
}
