// What the Go SDK sees of a server: runs its steps one after the other against the endpoint given as
// argument, and prints one JSON object with what each of them saw. Comparing is pytest's.
package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

const tableName = "go-orders"

// A seen thing is printed as JSON.
type seen = map[string]any

// A step tells what it saw.
type step struct {
	name string
	run  func(context.Context) (any, error)
}

// A program has a client that takes gzip, and sees the headers of its answers.
type program struct {
	client   *dynamodb.Client
	answers  *answers
	meter    *meter
	producer *producer
}

// answers is an HTTP client that keeps the headers of the last answer.
type answers struct{ last atomic.Pointer[http.Header] }

func (a *answers) Do(request *http.Request) (*http.Response, error) {
	response, err := http.DefaultClient.Do(request)
	if err == nil {
		a.last.Store(&response.Header)
	}
	return response, err
}

func newProgram(ctx context.Context, endpoint string) (*program, error) {
	recorded := &answers{}
	chosen, err := config.LoadDefaultConfig(ctx,
		config.WithRegion("us-east-1"),
		config.WithCredentialsProvider(credentials.NewStaticCredentialsProvider("local", "local", "")),
		config.WithRetryMaxAttempts(1),
	)
	if err != nil {
		return nil, err
	}
	client := dynamodb.NewFromConfig(chosen, func(o *dynamodb.Options) {
		o.BaseEndpoint = aws.String(endpoint)
		o.EnableAcceptEncodingGzip = true
		o.HTTPClient = recorded
	})
	return &program{client, recorded, newMeter(chosen, endpoint), newProducer(chosen, endpoint, client)}, nil
}

func main() {
	ctx := context.Background()
	p, err := newProgram(ctx, os.Args[1])
	if err != nil {
		panic(err)
	}
	told := seen{}
	for _, steps := range [][]step{
		p.itemSteps(), p.readingSteps(), p.changeSteps(), p.errorSteps(), p.meter.steps(),
		p.producer.steps(), p.vectorSteps(),
	} {
		for _, step := range steps {
			if told[step.name], err = step.run(ctx); err != nil {
				told[step.name] = seen{"error": err.Error()}
			}
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(told); err != nil {
		panic(err)
	}
}
