// Searches the audit log by CloudTrail's LookupEvents.
import { html, useEffect, useState } from "../vendor/ui.js";
import { call } from "../api.js";
import { visible } from "../json.js";
import { address, Badge, Button, Copy, Dialog, Empty, ErrorBox, Loading, Select, Text, Time, useValue } from "../parts.js";
import { Rows, setQuery } from "../lists.js";

const KEYS = [["", "all events"], ["Username", "user"], ["EventName", "operation"], ["ResourceName", "resource"], ["AccessKeyId", "access key"], ["ReadOnly", "read-only (true, false)"], ["EventSource", "service"], ["EventId", "event id"]];
const PAGE = 50;

export function Audit() {
  const { query } = useValue(address);
  const [form, change] = useState(Object.fromEntries(["key", "value", "from", "to"].map((each) => [each, query.get(each) ?? ""])));
  const [state, set] = useState({ events: [] });
  const [shown, show] = useState(null);
  const search = async (next) => {
    setQuery(form, { replace: true });
    set((before) => ({ ...before, loading: true, error: null, events: next ? before.events : [] }));
    const request = { MaxResults: PAGE };
    if (form.key && form.value) request.LookupAttributes = [{ AttributeKey: form.key, AttributeValue: form.value }];
    if (form.from) request.StartTime = new Date(form.from) / 1000;
    if (form.to) request.EndTime = new Date(form.to) / 1000;
    if (next) request.NextToken = next;
    try {
      const page = await call("cloudtrail:LookupEvents", request);
      set((before) => ({ events: [...(next ? before.events : []), ...page.Events], next: page.NextToken, done: true }));
    } catch (error) {
      set({ events: [], error });
    }
  };
  useEffect(() => { search(); }, []);
  const field = (name) => ({ value: form[name], onValue: (text) => change({ ...form, [name]: text }) });
  // The API is not there without the log.
  const off = state.error?.status === 404;
  return html`
    <form class="builder" aria-label="Search the audit log" onSubmit=${(event) => { event.preventDefault(); search(); }}><div class="fields">
      <${Select} label="Events with this" options=${KEYS} ...${field("key")} /><${Text} label="equal to" type="search" disabled=${!form.key} ...${field("value")} />
      <${Text} label="From" type="datetime-local" ...${field("from")} /><${Text} label="To" type="datetime-local" ...${field("to")} />
      <button type="submit" class="button primary">Search</button></div>
      <p class="muted">Management events of 90 days: all but reads and writes of items, which are in the files of the log.</p></form>
    ${off ? html`<${Empty} title="There is no audit log" command="hashrange serve --audit /var/log/hashrange"><p>With this setting the server writes a record of each request: who, what, when, and whether it was refused.</p><//>` : html`<${ErrorBox} error=${state.error} again=${() => search()} />`}
    ${state.events.length > 0 && html`<${Rows} label="Events" head=${["Time", "User", "Operation", "Service", "Resources", "Refused"]}>${state.events.map((each) => html`<${Event} key=${each.EventId} event=${each} show=${show} />`)}<//>`}
    ${state.loading && html`<${Loading} />`}
    ${state.done && !state.events.length && html`<${Empty} title="No such event"><p>${state.next ? "Not among the newest of the log; older ones were not read yet." : "Nothing like it was recorded in this time."}</p><//>`}
    ${state.next && html`<p><${Button} onClick=${() => search(state.next)}>Older events<//></p>`}
    ${shown && html`<${Dialog} title=${shown.EventName} wide onClose=${() => show(null)} actions=${html`<${Copy} text=${shown.CloudTrailEvent} />`}><pre tabindex="0" aria-label="The event">${JSON.stringify(JSON.parse(shown.CloudTrailEvent), null, 2)}</pre><//>`}`;
}

function Event({ event, show }) {
  const { errorCode } = JSON.parse(event.CloudTrailEvent);
  const resources = event.Resources.map((each) => each.ResourceName).join(", ");
  return html`<tr><td><${Time} at=${event.EventTime} /></td><td>${visible(event.Username ?? "–")}</td><th scope="row"><button type="button" class="link" onClick=${() => show(event)}>${event.EventName}</button></th>
    <td>${event.EventSource.replace(".amazonaws.com", "")}</td><td class="cut" title=${resources}>${resources || html`<span class="muted">–</span>`}</td><td>${errorCode ? html`<${Badge} kind="delete">${errorCode}<//>` : html`<span class="muted">–</span>`}</td></tr>`;
}
