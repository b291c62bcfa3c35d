// Jobs between tables and objects in buckets: exports, imports into a new table, bulk puts into one that exists.
import { html, useState } from "../vendor/ui.js";
import { call } from "../api.js";
import { Button, Check, Dialog, ErrorBox, Select, Text } from "../parts.js";
import { createRequest, describe, emptyForm, faultsOfForm } from "../definition.js";
import { Keys } from "./create.js";

const DYNAMODB_JSON = ["DYNAMODB_JSON", "DynamoDB JSON"];
const ION = ["ION", "Ion"];
const CSV = ["CSV", "CSV"];
const BUCKET_HINT = "One of --s3 NAME=PLACE of the server";

/** A dialog whose fields are the members of `form`; `act` performs the request. */
function useForm(start, act) {
  const [form, set] = useState(start);
  const [state, say] = useState({});
  const change = (part) => set((before) => ({ ...before, ...part }));
  const field = (name) => ({ value: form[name], onValue: (value) => change({ [name]: value }) });
  const send = async () => {
    say({ sent: true });
    try {
      await act(form);
    } catch (error) {
      say({ error });
    }
  };
  return { form, change, field, send, ...state };
}

const actionsOf = (onClose, text, { ready, sent, send }) => html`<${Button} onClick=${onClose}>Cancel<//><${Button} kind="primary" disabled=${!ready || Boolean(sent)} onClick=${send}>${text}<//>`;

/** The time that a field of this browser's zone has, in seconds. */
const secondsOf = (text) => new Date(text).getTime() / 1000;

export function Export({ names, onClose, onDone }) {
  const { form, field, send, sent, error } = useForm({ table: "", bucket: "", prefix: "", format: "DYNAMODB_JSON", kind: "FULL_EXPORT", at: "", from: "", to: "", view: "NEW_AND_OLD_IMAGES" }, async (form) => {
    const { TableArn } = await describe(form.table);
    const times = form.kind === "FULL_EXPORT"
      ? form.at && { ExportTime: secondsOf(form.at) }
      : { ExportType: form.kind, IncrementalExportSpecification: { ExportFromTime: secondsOf(form.from), ExportToTime: secondsOf(form.to), ExportViewType: form.view } };
    await call("ExportTableToPointInTime", { TableArn, S3Bucket: form.bucket, ExportFormat: form.format, ...(form.prefix ? { S3Prefix: form.prefix } : {}), ...times });
    onDone("The export has begun");
  });
  const whole = form.kind === "FULL_EXPORT";
  const ready = form.table && form.bucket && (whole || (form.from && form.to));
  return html`<${Dialog} title="Export a table" onClose=${onClose} actions=${actionsOf(onClose, "Export", { ready, sent, send })}>
    <${Select} label="Table" options=${[["", "choose …"], ...names]} hint="It needs point-in-time recovery" ...${field("table")} />
    <${Select} label="What" options=${[["FULL_EXPORT", "all items"], ["INCREMENTAL_EXPORT", "what has changed between two times"]]} ...${field("kind")} />
    ${whole
      ? html`<${Text} label="State of" type="datetime-local" step="1" hint="Empty: now" ...${field("at")} />`
      : html`<div class="grid2"><${Text} label="From" type="datetime-local" step="1" ...${field("from")} /><${Text} label="To" type="datetime-local" step="1" ...${field("to")} /></div>
        <${Select} label="Images" options=${[["NEW_AND_OLD_IMAGES", "new and old"], ["NEW_IMAGE", "new"]]} ...${field("view")} />`}
    <${Text} label="Bucket" hint=${BUCKET_HINT} ...${field("bucket")} /><${Text} label="Prefix of the objects" ...${field("prefix")} />
    <${Select} label="Format" options=${[DYNAMODB_JSON, ION]} ...${field("format")} /><${ErrorBox} error=${error} /><//>`;
}

/** SDKs send such a token by themselves: a request that is sent twice begins one job. */
const newToken = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (each) => each.toString(16).padStart(2, "0")).join("");

const NEW = "";

function importRequest(form, table, token) {
  const { TableName, AttributeDefinitions, KeySchema, BillingMode, ProvisionedThroughput } = createRequest(table);
  const csv = { ...(form.delimiter === "," ? {} : { Delimiter: form.delimiter === "tab" ? "\t" : form.delimiter }), ...(form.header.trim() ? { HeaderList: form.header.split(",").map((each) => each.trim()) } : {}) };
  return {
    ClientToken: token,
    S3BucketSource: { S3Bucket: form.bucket, ...(form.prefix ? { S3KeyPrefix: form.prefix } : {}) },
    InputFormat: form.format,
    InputCompressionType: form.compression,
    ...(form.format === "CSV" && Object.keys(csv).length ? { InputFormatOptions: { Csv: csv } } : {}),
    TableCreationParameters: { TableName, AttributeDefinitions, KeySchema, BillingMode, ...(ProvisionedThroughput ? { ProvisionedThroughput } : {}) },
  };
}

function bulkRequest(form, token) {
  return {
    ClientToken: token,
    TableName: form.table,
    InputS3Configuration: { S3Bucket: form.bucket, ...(form.prefix ? { S3KeyPrefix: form.prefix } : {}), InputFormat: form.format, InputCompressionType: form.compression },
    OutputS3Configuration: { S3Bucket: form.reports || form.bucket, S3KeyPrefix: "reports", OutputType: ["ERROR", "CONDITION_CHECK_FAILURE"] },
    ...(form.units ? { MaxWriteRequestUnits: Number.parseInt(form.units, 10) } : {}),
  };
}

export function Import({ names, onClose, onDone }) {
  const [table, setTable] = useState(emptyForm());
  const [token] = useState(newToken);
  const { form, change, field, send, sent, error } = useForm({ table: NEW, bucket: "", prefix: "", format: "DYNAMODB_JSON", compression: "NONE", delimiter: ",", header: "", reports: "", units: "", understood: false }, async (form) => {
    if (form.table === NEW) await call("ImportTable", importRequest(form, table, token));
    else await call("StartBulkPutItems", bulkRequest(form, token));
    onDone("The import has begun");
  });
  const setPart = (part) => setTable((before) => ({ ...before, ...part }));
  const faults = faultsOfForm(table);
  const isNew = form.table === NEW;
  const formats = isNew ? [DYNAMODB_JSON, ION, CSV] : [DYNAMODB_JSON, ION];
  const ready = form.bucket && (isNew ? !Object.keys(faults).length : form.understood);
  const into = (name) => change({ table: name, format: name !== NEW && form.format === "CSV" ? "DYNAMODB_JSON" : form.format });
  return html`<${Dialog} title="Import objects" onClose=${onClose} actions=${actionsOf(onClose, "Import", { ready, sent, send })}>
    <${Select} label="Into" options=${[[NEW, "a new table"], ...names]} value=${form.table} onValue=${into} />
    ${isNew
      ? html`<${Text} label="Table name" value=${table.name} onValue=${(name) => setPart({ name })} fault=${table.name && faults.name} />
        <${Keys} label="Partition key" keys=${table.hash} least=${1} most=${1} onKeys=${(hash) => setPart({ hash })} /><${Keys} label="Sort key" keys=${table.range} least=${0} most=${1} onKeys=${(range) => setPart({ range })} />
        ${faults.keys && html`<p class="fault" role="alert">${faults.keys}</p>`}
        <${Select} label="Capacity mode" options=${[["PAY_PER_REQUEST", "On demand"], ["PROVISIONED", "Provisioned: 5 read and 5 write units"]]} value=${table.mode} onValue=${(mode) => setPart({ mode })} />`
      : html`<${Check} label=${`Items of ${form.table} with the same keys are overwritten`} hint="Each record is put, with stream records and index entries. This cannot be undone." ...${field("understood")} />
        <div class="grid2"><${Text} label="Most write units a second" inputmode="numeric" hint="Empty: no limit of its own" ...${field("units")} /><${Text} label="Bucket of the reports" hint="Empty: that of the objects" ...${field("reports")} /></div>`}
    <${Text} label="Bucket" hint=${BUCKET_HINT} ...${field("bucket")} /><${Text} label="Prefix of the objects" hint="Empty: all objects of the bucket" ...${field("prefix")} />
    <div class="grid2"><${Select} label="Format" options=${formats} ...${field("format")} /><${Select} label="Compression" options=${[["NONE", "none"], "GZIP", "ZSTD"]} ...${field("compression")} /></div>
    ${form.format === "CSV" && html`<div class="grid2"><${Select} label="Separator" options=${[[",", "comma"], [";", "semicolon"], ["tab", "tabulator"], ["|", "|"], [":", "colon"]]} ...${field("delimiter")} /><${Text} label="Names of the columns" hint="Separated by commas; empty: the first line has them" ...${field("header")} /></div>`}
    <${ErrorBox} error=${error} /><//>`;
}
