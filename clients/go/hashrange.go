// Package hashrange starts a DynamoDB for tests, and gives each test an account without tables.
//
// It has no dependencies: an Account has the values that config.WithBaseEndpoint and
// credentials.NewStaticCredentialsProvider of AWS's SDK take.
package hashrange

import (
	"bufio"
	"crypto/rand"
	"fmt"
	"io"
	"math/big"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// Region is that of all accounts.
const Region = "us-east-1"

const (
	serve       = "serve --memory --port 0 --namespaces separate --stop-with-input --log-level warning"
	firstID     = 100_000_000_000
	countOfIDs  = 900_000_000_000
	announcing  = " listens on "
	secretOfAll = "local"
)

// Server is a hashrange that runs until Stop, or as long as this process.
type Server struct {
	Endpoint string

	input   io.Closer
	command *exec.Cmd
}

// Account has tables of its own on a server.
type Account struct {
	Endpoint, Region, AccessKeyID, SecretAccessKey string
}

// Start starts a server, or connects to the one at TEST_HASHRANGE_ENDPOINT, which needs --namespaces
// separate. The program is TEST_HASHRANGE_COMMAND, as "uvx hashrange", or else hashrange of the PATH.
func Start(settings ...string) (*Server, error) {
	if running := os.Getenv("TEST_HASHRANGE_ENDPOINT"); running != "" {
		return &Server{Endpoint: strings.TrimSuffix(running, "/")}, nil
	}
	words := strings.Fields(os.Getenv("TEST_HASHRANGE_COMMAND"))
	if len(words) == 0 {
		words = []string{"hashrange"}
	}
	words = append(append(words, strings.Fields(serve)...), settings...)
	command := exec.Command(words[0], words[1:]...)
	command.Stderr = os.Stderr
	input, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("%w: install hashrange, or set TEST_HASHRANGE_COMMAND", err)
	}
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if _, endpoint, found := strings.Cut(lines.Text(), announcing); found {
			return &Server{endpoint, input, command}, nil
		}
	}
	_ = command.Wait()
	return nil, fmt.Errorf("hashrange did not start; what it said is above")
}

// Stop ends a server that was started here, and waits for its end.
func (s *Server) Stop() error {
	if s.command == nil {
		return nil
	}
	if err := s.input.Close(); err != nil {
		return err
	}
	return s.command.Wait()
}

// Account returns an account without tables.
func (s *Server) Account() Account {
	number, err := rand.Int(rand.Reader, big.NewInt(countOfIDs))
	if err != nil {
		panic(err) // the system has no random numbers
	}
	id := fmt.Sprint(firstID + number.Int64())
	return Account{s.Endpoint, Region, id, secretOfAll}
}

// Setenv gives the account to each client of AWS's SDK that the test makes without options.
func (a Account) Setenv(t testing.TB) {
	t.Helper()
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL_DYNAMODB":         a.Endpoint,
		"AWS_ENDPOINT_URL_DYNAMODB_STREAMS": a.Endpoint,
		"AWS_REGION":                        a.Region,
		"AWS_ACCESS_KEY_ID":                 a.AccessKeyID,
		"AWS_SECRET_ACCESS_KEY":             a.SecretAccessKey,
	} {
		t.Setenv(name, value)
	}
}

var shared = sync.OnceValues(func() (*Server, error) { return Start() })

// ForTest returns an account without tables, on a server that all tests of a package share. It
// ends with the process of the tests.
func ForTest(t testing.TB) Account {
	t.Helper()
	server, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return server.Account()
}
