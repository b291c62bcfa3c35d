package main

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	expr "github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

func (p *program) errorSteps() []step {
	return []step{
		{"conditionFailed", p.conditionFailed},
		{"notFound", p.notFound},
		{"inUse", p.inUse},
		{"invalid", p.invalid},
		{"gone", p.gone},
	}
}

// What an error says of itself, whatever its type.
func told(err error) seen {
	var api smithy.APIError
	var response *awshttp.ResponseError
	if !errors.As(err, &api) || !errors.As(err, &response) {
		return seen{"error": err}
	}
	return seen{
		"code": api.ErrorCode(), "message": api.ErrorMessage(), "fault": api.ErrorFault().String(),
		"status": response.HTTPStatusCode(), "hasRequestID": response.ServiceRequestID() != "",
	}
}

func (p *program) conditionFailed(ctx context.Context) (any, error) {
	taken := order{Customer: "condition", Number: 1, Note: "mine"}
	if err := p.put(ctx, taken); err != nil {
		return nil, err
	}
	built, err := expr.NewBuilder().WithCondition(expr.Name("customer").AttributeNotExists()).Build()
	if err != nil {
		return nil, err
	}
	item, err := attributevalue.MarshalMap(taken)
	if err != nil {
		return nil, err
	}
	_, err = p.client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: aws.String(tableName), Item: item, ConditionExpression: built.Condition(),
		ExpressionAttributeNames:            built.Names(),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	var failed *types.ConditionalCheckFailedException
	if !errors.As(err, &failed) {
		return told(err), nil
	}
	var found order
	if err := attributevalue.UnmarshalMap(failed.Item, &found); err != nil {
		return nil, err
	}
	return seen{"found": found.Note, "error": told(err)}, nil
}

func (p *program) notFound(ctx context.Context) (any, error) {
	_, err := p.client.DescribeTable(ctx, &dynamodb.DescribeTableInput{
		TableName: aws.String("no-such-table"),
	})
	var missing *types.ResourceNotFoundException
	return seen{"isItsType": errors.As(err, &missing), "error": told(err)}, nil
}

func (p *program) inUse(ctx context.Context) (any, error) {
	_, err := p.client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName: aws.String(tableName), BillingMode: types.BillingModePayPerRequest,
		KeySchema: keySchema("customer", "number"),
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("customer"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("number"), AttributeType: types.ScalarAttributeTypeN},
		},
	})
	var taken *types.ResourceInUseException
	return seen{"isItsType": errors.As(err, &taken), "error": told(err)}, nil
}

// A fault without a type: the model of the operation does not list it.
func (p *program) invalid(ctx context.Context) (any, error) {
	_, err := p.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: aws.String(tableName),
		Key:       wireItem{"customer": &types.AttributeValueMemberS{Value: "no number"}},
	})
	return told(err), nil
}

func (p *program) gone(ctx context.Context) (any, error) {
	deleted, err := p.client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String(tableName)})
	if err != nil {
		return nil, err
	}
	waiter := dynamodb.NewTableNotExistsWaiter(p.client, func(o *dynamodb.TableNotExistsWaiterOptions) {
		o.MinDelay = 100 * time.Millisecond
	})
	err = waiter.Wait(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(tableName)}, time.Minute)
	return deleted.TableDescription.TableStatus, err
}
