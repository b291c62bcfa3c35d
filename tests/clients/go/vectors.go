package main

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const vectorsName, placesName = "go-vectors", "by-place"

// A place is an item of a table with a vector index.
type place struct {
	Key   string    `dynamodbav:"pk"`
	Kind  string    `dynamodbav:"kind"`
	Place []float32 `dynamodbav:"place"`
}

func (p *program) vectorSteps() []step {
	return []step{
		{"vectorTable", p.vectorTable},
		{"vectorSearch", p.vectorSearch},
		{"vectorRefused", p.vectorRefused},
	}
}

func (p *program) vectorTable(ctx context.Context) (any, error) {
	text := types.ScalarAttributeTypeS
	made, err := p.client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName: aws.String(vectorsName), BillingMode: types.BillingModePayPerRequest,
		KeySchema: []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}},
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("pk"), AttributeType: text},
			{AttributeName: aws.String("kind"), AttributeType: text},
		},
		VectorIndexes: []types.VectorIndex{{
			IndexName:        aws.String(placesName),
			VectorAttribute:  &types.VectorAttributeDefinition{AttributeName: aws.String("place")},
			Dimensions:       aws.Int64(2),
			DistanceFunction: types.VectorDistanceFunctionEuclidean,
			Projection:       &types.Projection{ProjectionType: types.ProjectionTypeAll},
			SearchSchema: []types.SearchSchemaElement{{
				AttributeName:           aws.String("kind"),
				SearchSchemaElementType: types.SearchSchemaElementTypeInlineFilter,
			}},
		}},
	})
	if err != nil {
		return nil, err
	}
	index := made.TableDescription.VectorIndexes[0]
	return []any{*index.IndexName, *index.Dimensions, index.DistanceFunction}, nil
}

// numbers is a vector as SearchVectors takes it.
func numbers(values ...float32) []types.AttributeValue {
	found := []types.AttributeValue{}
	for _, value := range values {
		found = append(found, &types.AttributeValueMemberN{Value: fmt.Sprint(value)})
	}
	return found
}

func (p *program) vectorSearch(ctx context.Context) (any, error) {
	for _, each := range []place{{"a", "x", []float32{0, 0}}, {"b", "y", []float32{3, 4}}, {"c", "x", []float32{6, 8}}} {
		item, err := attributevalue.MarshalMap(each)
		if err != nil {
			return nil, err
		}
		if _, err := p.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(vectorsName), Item: item}); err != nil {
			return nil, err
		}
	}
	answer, err := p.client.SearchVectors(ctx, &dynamodb.SearchVectorsInput{
		TableName: aws.String(vectorsName), IndexName: aws.String(placesName),
		SearchVector: numbers(0, 0), TopK: aws.Int32(10),
		SearchConditionExpression: aws.String("#k = :k"),
		ExpressionAttributeNames:  map[string]string{"#k": "kind"},
		ExpressionAttributeValues: wireItem{":k": &types.AttributeValueMemberS{Value: "x"}},
	})
	if err != nil {
		return nil, err
	}
	found := [][]any{}
	for _, result := range answer.SearchResults {
		var read place
		if err := attributevalue.UnmarshalMap(result.Item, &read); err != nil {
			return nil, err
		}
		found = append(found, []any{read.Key, result.Score})
	}
	return found, nil
}

func (p *program) vectorRefused(ctx context.Context) (any, error) {
	_, err := p.client.SearchVectors(ctx, &dynamodb.SearchVectorsInput{
		TableName: aws.String(vectorsName), IndexName: aws.String(placesName),
		SearchVector: numbers(1, 2, 3), TopK: aws.Int32(1),
	})
	return told(err), nil
}
