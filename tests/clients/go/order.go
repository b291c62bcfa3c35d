package main

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// An order is a struct with a bit of everything that attributevalue marshals.
type order struct {
	Customer string                   `dynamodbav:"customer"`
	Number   int64                    `dynamodbav:"number"`
	Status   string                   `dynamodbav:"status,omitempty"`
	Placed   *time.Time               `dynamodbav:"placed,omitempty"`
	Expires  *attributevalue.UnixTime `dynamodbav:"expires,omitempty"`
	Total    attributevalue.Number    `dynamodbav:"total,omitempty"`
	Note     string                   `dynamodbav:"note,omitempty"`
	Nothing  *string                  `dynamodbav:"nothing"`
	Gift     bool                     `dynamodbav:"gift,omitempty"`
	Address  *address                 `dynamodbav:"address,omitempty"`
	Others   []address                `dynamodbav:"others,omitempty"`
	Counts   map[string]int           `dynamodbav:"counts,omitempty"`
	Labels   []string                 `dynamodbav:"labels,stringset,omitempty"`
	Primes   []int                    `dynamodbav:"primes,numberset,omitempty"`
	Keys     [][]byte                 `dynamodbav:"keys,binaryset,omitempty"`
	Photo    []byte                   `dynamodbav:"photo,omitempty"`
}

type address struct {
	Street string `dynamodbav:"street"`
	City   string `dynamodbav:"city,omitempty"`
}

// A wireItem is an item as the client has it, before it becomes a struct.
type wireItem = map[string]types.AttributeValue

func keyOf(customer string, number int64) (wireItem, error) {
	return attributevalue.MarshalMap(struct {
		Customer string `dynamodbav:"customer"`
		Number   int64  `dynamodbav:"number"`
	}{customer, number})
}
