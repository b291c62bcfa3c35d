package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/kinesis"
	kinesistypes "github.com/aws/aws-sdk-go-v2/service/kinesis/types"
)

const producerName, changesName = "go-producer", "go-changes"

// A producer has a table whose changes are put into a Kinesis data stream.
type producer struct {
	tables  *dynamodb.Client
	streams *kinesis.Client
}

func newProducer(chosen aws.Config, endpoint string, tables *dynamodb.Client) *producer {
	streams := kinesis.NewFromConfig(chosen, func(o *kinesis.Options) {
		o.BaseEndpoint = aws.String(endpoint)
	})
	return &producer{tables, streams}
}

func (p *producer) steps() []step {
	return []step{{"destination", p.destination}}
}

// Enables a destination, writes two changes of an item, and reads them with their keys.
func (p *producer) destination(ctx context.Context) (any, error) {
	stream, table := aws.String(changesName), aws.String(producerName)
	if _, err := p.streams.CreateStream(ctx, &kinesis.CreateStreamInput{StreamName: stream, ShardCount: aws.Int32(1)}); err != nil {
		return nil, err
	}
	waiter := kinesis.NewStreamExistsWaiter(p.streams)
	if err := waiter.Wait(ctx, &kinesis.DescribeStreamInput{StreamName: stream}, time.Minute); err != nil {
		return nil, err
	}
	described, err := p.streams.DescribeStreamSummary(ctx, &kinesis.DescribeStreamSummaryInput{StreamName: stream})
	if err != nil {
		return nil, err
	}
	if _, err := p.tables.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName: table, BillingMode: types.BillingModePayPerRequest,
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}},
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS}},
	}); err != nil {
		return nil, err
	}
	enabled, err := p.tables.EnableKinesisStreamingDestination(ctx, &dynamodb.EnableKinesisStreamingDestinationInput{
		TableName: table, StreamArn: described.StreamDescriptionSummary.StreamARN,
		EnableKinesisStreamingConfiguration: &types.EnableKinesisStreamingConfiguration{
			ApproximateCreationDateTimePrecision: types.ApproximateCreationDateTimePrecisionMicrosecond,
		},
	})
	if err != nil {
		return nil, err
	}
	for _, note := range []string{"old", "new"} {
		if _, err := p.tables.PutItem(ctx, &dynamodb.PutItemInput{TableName: table, Item: wireItem{
			"pk": &types.AttributeValueMemberS{Value: "one"}, "note": &types.AttributeValueMemberS{Value: note},
		}}); err != nil {
			return nil, err
		}
	}
	changes, err := p.changes(ctx, stream, 2)
	return seen{"status": enabled.DestinationStatus, "changes": changes}, err
}

// changes waits for so many records of the only shard.
func (p *producer) changes(ctx context.Context, stream *string, count int) ([]string, error) {
	shard, err := p.streams.GetShardIterator(ctx, &kinesis.GetShardIteratorInput{
		StreamName: stream, ShardId: aws.String("shardId-000000000000"),
		ShardIteratorType: kinesistypes.ShardIteratorTypeTrimHorizon,
	})
	if err != nil {
		return nil, err
	}
	found, iterator := []string{}, shard.ShardIterator
	for tries := 0; len(found) < count && tries < 600; tries++ {
		page, err := p.streams.GetRecords(ctx, &kinesis.GetRecordsInput{ShardIterator: iterator})
		if err != nil {
			return nil, err
		}
		for _, record := range page.Records {
			var change struct {
				EventName string
				Dynamodb  struct {
					NewImage                             map[string]map[string]string
					ApproximateCreationDateTimePrecision string
				}
			}
			if err := json.Unmarshal(record.Data, &change); err != nil {
				return nil, err
			}
			found = append(found, fmt.Sprint(change.EventName, " ", change.Dynamodb.NewImage["note"]["S"],
				" ", change.Dynamodb.ApproximateCreationDateTimePrecision))
		}
		iterator = page.NextShardIterator
		time.Sleep(50 * time.Millisecond)
	}
	return found, nil
}
