// Command porcupine reads a file of histories as JSON and says of each whether it has an order.
//
// The model is that of tests/model/linearizability.py; the search is that of
// github.com/anishathalye/porcupine. The file is a list of histories, each a list of calls; the output
// is a list of booleans.
package main

import (
	"encoding/json"
	"log"
	"math"
	"os"

	"github.com/anishathalye/porcupine"
)

// call is one call to one item. Expected, Answer: null for no item. Returned: null for no answer.
type call struct {
	Action   string
	Value    int64
	Expected *int64
	Called   int64
	Returned *int64
	Answer   *int64
}

// item is the state: whether it is there, and its value.
type item struct {
	exists bool
	value  int64
}

func itemOf(value *int64) item {
	if value == nil {
		return item{}
	}
	return item{true, *value}
}

// step gives what a call answers, and what it leaves.
func step(before item, asked call) (answer item, after item) {
	switch asked.Action {
	case "Read":
		return before, before
	case "Write":
		return before, item{true, asked.Value}
	case "Remove":
		return before, item{}
	case "Add":
		sum := item{true, before.value + asked.Value}
		return sum, sum
	case "Swap":
		if before == itemOf(asked.Expected) {
			return before, item{true, asked.Value}
		}
		return before, before
	}
	log.Fatalf("no action: %q", asked.Action)
	return
}

var model = porcupine.Model{
	Init: func() interface{} { return item{} },
	Step: func(state, input, output interface{}) (bool, interface{}) {
		asked := input.(call)
		answer, after := step(state.(item), asked)
		return asked.Returned == nil || answer == output.(item), after
	},
}

func operations(calls []call) []porcupine.Operation {
	var found []porcupine.Operation
	for _, each := range calls {
		// A call without an answer may happen at any time from its beginning on.
		returned := int64(math.MaxInt64)
		if each.Returned != nil {
			returned = *each.Returned
		}
		found = append(found, porcupine.Operation{
			Input:  each,
			Call:   each.Called,
			Output: itemOf(each.Answer),
			Return: returned,
		})
	}
	return found
}

func main() {
	var histories [][]call
	bytes, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := json.Unmarshal(bytes, &histories); err != nil {
		log.Fatal(err)
	}
	haveOrder := []bool{}
	for _, calls := range histories {
		haveOrder = append(haveOrder, porcupine.CheckOperations(model, operations(calls)))
	}
	if err := json.NewEncoder(os.Stdout).Encode(haveOrder); err != nil {
		log.Fatal(err)
	}
}
