// A request as code: boto3, the AWS SDKs for JavaScript, Java and Go, the AWS CLI, and PartiQL.
import { html, useState } from "./vendor/ui.js";
import { Copy, Tabs } from "./parts.js";
import { typeOf } from "./values.js";

const LANGUAGES = [["boto3", "Python"], ["javascript", "JavaScript"], ["java", "Java"], ["go", "Go"], ["cli", "AWS CLI"], ["partiql", "PartiQL"]];
const LINE = 88;

const lowered = (name) => name[0].toLowerCase() + name.slice(1);
const snaked = (name) => name.replace(/(?<!^)([A-Z])/g, "_$1").toLowerCase();
const spaced = (level) => "    ".repeat(level);

/** A value as a literal of a language: `one` writes scalars, `open` and `close` surround. */
function literal(value, level, one) {
  if (value === null || typeof value !== "object") return one(value);
  const isList = Array.isArray(value);
  const parts = isList ? value.map((each) => literal(each, level + 1, one)) : Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${literal(each, level + 1, one)}`);
  const [open, close] = isList ? "[]" : "{}";
  const short = `${open}${parts.join(", ")}${close}`;
  if (short.length + level * 4 <= LINE && !short.includes("\n")) return short;
  return `${open}\n${parts.map((part) => `${spaced(level + 1)}${part},\n`).join("")}${spaced(level)}${close}`;
}

const pythonScalar = (value) => (typeof value === "boolean" ? (value ? "True" : "False") : value === null ? "None" : JSON.stringify(value));

function boto3(operation, request) {
  const members = Object.entries(request).map(([name, value]) => `    ${name}=${literal(value, 1, pythonScalar)},\n`);
  return `import boto3

client = boto3.client("dynamodb", endpoint_url=${JSON.stringify(location.origin)})
response = client.${snaked(operation)}(
${members.join("")})
`;
}

function javascript(operation, request) {
  return `import { DynamoDBClient, ${operation}Command } from "@aws-sdk/client-dynamodb";

const client = new DynamoDBClient({ endpoint: ${JSON.stringify(location.origin)} });
const response = await client.send(new ${operation}Command(${literal(request, 0, JSON.stringify)}));
`;
}

/* Java */

const javaMethod = { S: "s", N: "n", B: "b", BOOL: "bool", NULL: "nul", SS: "ss", NS: "ns", BS: "bs", M: "m", L: "l" };
const javaList = (list, one) => `List.of(${list.map(one).join(", ")})`;
const javaMap = (map, one) => `Map.ofEntries(${Object.entries(map).map(([name, value]) => `\n                Map.entry(${JSON.stringify(name)}, ${one(value)})`).join(",")})`;

function javaValue(value) {
  const type = typeOf(value);
  const content = value[type];
  const binary = (text) => `SdkBytes.fromByteArray(Base64.getDecoder().decode(${JSON.stringify(text)}))`;
  const told = { M: () => javaMap(content, javaValue), L: () => javaList(content, javaValue), B: () => binary(content), BS: () => javaList(content, binary) }[type];
  const text = told ? told() : Array.isArray(content) ? javaList(content, JSON.stringify) : JSON.stringify(content);
  return `AttributeValue.builder().${javaMethod[type]}(${text}).build()`;
}

const isValues = (name) => ["ExpressionAttributeValues", "Key", "Item", "ExclusiveStartKey"].includes(name);

function java(operation, request) {
  const member = ([name, value]) => {
    if (isValues(name)) return `            .${lowered(name)}(${javaMap(value, javaValue)})`;
    if (name === "ExpressionAttributeNames") return `            .${lowered(name)}(${javaMap(value, JSON.stringify)})`;
    if (name === "Parameters") return `            .${lowered(name)}(${javaList(value, javaValue)})`;
    return `            .${lowered(name)}(${JSON.stringify(value)})`;
  };
  return `import java.net.URI;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.*;

DynamoDbClient client = DynamoDbClient.builder().endpointOverride(URI.create(${JSON.stringify(location.origin)})).build();
${operation}Response response = client.${lowered(operation)}(${operation}Request.builder()
${Object.entries(request).map(member).join("\n")}
            .build());
`;
}

/* Go */

function goValue(value) {
  const type = typeOf(value);
  const content = value[type];
  const texts = (list) => `[]string{${list.map((each) => JSON.stringify(each)).join(", ")}}`;
  const binary = (text) => `decoded(${JSON.stringify(text)})`;
  const told = {
    M: () => `map[string]types.AttributeValue{${Object.entries(content).map(([name, each]) => `${JSON.stringify(name)}: ${goValue(each)}`).join(", ")}}`,
    L: () => `[]types.AttributeValue{${content.map(goValue).join(", ")}}`,
    SS: () => texts(content), NS: () => texts(content), B: () => binary(content), BS: () => `[][]byte{${content.map(binary).join(", ")}}`,
  }[type];
  return `&types.AttributeValueMember${type}{Value: ${told ? told() : JSON.stringify(content)}}`;
}

const GO_ENUMS = { ReturnConsumedCapacity: "ReturnConsumedCapacity", Select: "Select", ReturnValues: "ReturnValue" };

function go(operation, request) {
  const member = ([name, value]) => {
    if (isValues(name)) return `\t\t${name}: map[string]types.AttributeValue{\n${Object.entries(value).map(([key, each]) => `\t\t\t${JSON.stringify(key)}: ${goValue(each)},\n`).join("")}\t\t},\n`;
    if (name === "ExpressionAttributeNames") return `\t\t${name}: map[string]string{\n${Object.entries(value).map(([key, each]) => `\t\t\t${JSON.stringify(key)}: ${JSON.stringify(each)},\n`).join("")}\t\t},\n`;
    if (name === "Parameters") return `\t\t${name}: []types.AttributeValue{${value.map(goValue).join(", ")}},\n`;
    if (name in GO_ENUMS) return `\t\t${name}: types.${GO_ENUMS[name]}(${JSON.stringify(value)}),\n`;
    if (typeof value === "boolean") return `\t\t${name}: aws.Bool(${value}),\n`;
    return `\t\t${name}: ${typeof value === "number" ? `aws.Int32(${value})` : `aws.String(${JSON.stringify(value)})`},\n`;
  };
  const text = Object.entries(request).map(member).join("");
  const binary = text.includes("decoded(");
  return `package main

import (
	"context"${binary ? '\n\t"encoding/base64"' : ""}
	"fmt"
	"log"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
${text.includes("types.") ? '\t"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"\n' : ""})
${binary ? `
func decoded(text string) []byte {
	bytes, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		log.Fatal(err)
	}
	return bytes
}
` : ""}
func main() {
	ctx := context.Background()
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		log.Fatal(err)
	}
	client := dynamodb.NewFromConfig(cfg, func(o *dynamodb.Options) {
		o.BaseEndpoint = aws.String(${JSON.stringify(location.origin)})
	})
	response, err := client.${operation}(ctx, &dynamodb.${operation}Input{
${text}	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(response)
}
`;
}

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

function cli(operation, request) {
  const flag = ([name, value]) => {
    const option = `--${snaked(name).replaceAll("_", "-")}`;
    if (value === true) return option;
    if (value === false) return option.replace("--", "--no-");
    if (name === "Limit" && ["Query", "Scan"].includes(operation)) return `--max-items ${value} --page-size ${value}`;
    return `${option} ${typeof value === "object" ? quoted(JSON.stringify(value)) : typeof value === "number" ? value : quoted(value)}`;
  };
  return `aws dynamodb ${snaked(operation).replaceAll("_", "-")} --endpoint-url ${location.origin} \\\n  ${Object.entries(request).map(flag).join(" \\\n  ")}\n`;
}

/* PartiQL */

/** A value as a literal of PartiQL; null for binary, which has none. */
export function partiqlValue(value) {
  const type = typeOf(value);
  const content = value[type];
  const text = (each) => `'${each.replaceAll("'", "''")}'`;
  if (type === "S") return text(content);
  if (type === "N") return content;
  if (type === "BOOL") return String(content);
  if (type === "NULL") return "NULL";
  if (type === "SS") return `<<${content.map(text).join(", ")}>>`;
  if (type === "NS") return `<<${content.join(", ")}>>`;
  if (type === "L" || type === "M") {
    const parts = type === "L" ? content.map(partiqlValue) : Object.entries(content).map(([name, each]) => [text(name), partiqlValue(each)]);
    if (parts.flat().includes(null)) return null;
    return type === "L" ? `[${parts.join(", ")}]` : `{${parts.map((each) => each.join(": ")).join(", ")}}`;
  }
  return null;
}

export const partiqlName = (name) => `"${name.replaceAll('"', '""')}"`;

/** A read or write as a statement; a text that says why if there is none. */
function partiql(operation, request) {
  if (operation === "ExecuteStatement") return `${request.Statement}\n`;
  let missing = "";
  const literalOf = (value) => {
    const found = partiqlValue(value);
    if (found === null) missing = "-- Binary values have no literals: pass them as parameters, for each ?\n";
    return found ?? "?";
  };
  const put = (text = "") => text
    .replace(/#\w+|:\w+/g, (key) => (key[0] === "#" ? partiqlName(request.ExpressionAttributeNames?.[key] ?? key) : literalOf(request.ExpressionAttributeValues[key])))
    .replace(/attribute_exists\(([^()]+)\)/g, "$1 IS NOT MISSING")
    .replace(/attribute_not_exists\(([^()]+)\)/g, "$1 IS MISSING")
    .replace(/attribute_type\(([^()]+), ('[^']*')\)/g, "attribute_type($1, $2)");
  const equalities = (map) => Object.entries(map).map(([name, value]) => `${partiqlName(name)} = ${literalOf(value)}`).join(" AND ");
  const from = `${partiqlName(request.TableName)}${request.IndexName ? `.${partiqlName(request.IndexName)}` : ""}`;
  let text;
  if (operation === "Query" || operation === "Scan") {
    const where = [request.KeyConditionExpression, request.FilterExpression && `(${request.FilterExpression})`].filter(Boolean).map(put).join(" AND ");
    const order = request.ScanIndexForward === false ? "\n-- descending: ORDER BY the sort key DESC" : "";
    text = `SELECT ${request.ProjectionExpression ? put(request.ProjectionExpression) : "*"} FROM ${from}${where ? ` WHERE ${where}` : ""}${order}`;
  } else if (operation === "GetItem") text = `SELECT * FROM ${from} WHERE ${equalities(request.Key)}`;
  else if (operation === "PutItem") text = `INSERT INTO ${from} VALUE ${literalOf({ M: request.Item })}`;
  else if (operation === "DeleteItem") text = `DELETE FROM ${from} WHERE ${equalities(request.Key)}`;
  else return `-- ${operation} has no statement of PartiQL.\n`;
  return `${missing}${text}\n`;
}

const WRITERS = { boto3, javascript, java, go, cli, partiql };

/** A request in all languages, by name. */
export const codeOf = (language, operation, request) => WRITERS[language](operation, request);

export function AsCode({ operation, request }) {
  const [language, choose] = useState("boto3");
  const text = codeOf(language, operation, request);
  return html`<section class="code" aria-label="As code">
    <div class="row"><${Tabs} label="Language" tabs=${LANGUAGES} value=${language} onValue=${choose} /><div class="spacer"></div><${Copy} text=${text} /></div>
    <pre tabindex="0" aria-label="Code"><code>${text}</code></pre>
  </section>`;
}
