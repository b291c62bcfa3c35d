package orders

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	hashrange "hashrange.dev/testing"
)

func TestOrders(t *testing.T) {
	for _, name := range []string{"first", "second"} {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			hashrange.ForTest(t).Setenv(t)
			chosen, err := config.LoadDefaultConfig(ctx)
			if err != nil {
				t.Fatal(err)
			}
			client := dynamodb.NewFromConfig(chosen)
			tables, err := client.ListTables(ctx, nil)
			if err != nil || len(tables.TableNames) != 0 {
				t.Fatal(tables, err)
			}
			_, err = client.CreateTable(ctx, &dynamodb.CreateTableInput{
				TableName:            aws.String("orders"),
				AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("id"), AttributeType: "S"}},
				KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: "HASH"}},
				BillingMode:          types.BillingModePayPerRequest,
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestServer(t *testing.T) {
	server, err := hashrange.Start()
	if err != nil {
		t.Fatal(err)
	}
	if server.Account() == server.Account() {
		t.Fatal("accounts are new")
	}
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
}
