// Reads files for deployments as the programs do that run them: a line for each fault.
//
//	schemas compose FILE...   compose files, by the parser of `docker compose`
//	schemas objects FILE...   objects of Kubernetes, by its own types, which refuse other members
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
)

func compose(file string) error {
	options, err := cli.NewProjectOptions([]string{file}, cli.WithOsEnv, cli.WithName("hashrange"))
	if err != nil {
		return err
	}
	_, err = options.LoadProject(context.Background())
	return err
}

func objects(file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	strict := json.SerializerOptions{Yaml: true, Strict: true}
	decoder := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, strict)
	reader := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, _, err := decoder.Decode(document, nil, nil); err != nil {
			return err
		}
	}
}

func main() {
	read := map[string]func(string) error{"compose": compose, "objects": objects}[os.Args[1]]
	faults := 0
	for _, file := range os.Args[2:] {
		if err := read(file); err != nil {
			fmt.Printf("%s: %v\n", file, err)
			faults++
		}
	}
	if faults > 0 {
		os.Exit(1)
	}
}
