// ElectroDB: two entities of one service in one table, with a collection over both, as its manual has it.

import { CreateTableCommand, waitUntilTableExists } from "@aws-sdk/client-dynamodb";
import { Entity, Service } from "electrodb";
import { client, refusal, run } from "./steps.mjs";

const table = "electrodb";
const attribute = (AttributeName) => ({ AttributeName, AttributeType: "S" });
const schema = (hash, range) => [
  { AttributeName: hash, KeyType: "HASH" },
  { AttributeName: range, KeyType: "RANGE" },
];

const Employee = new Entity(
  {
    model: { entity: "employee", version: "1", service: "work" },
    attributes: {
      office: { type: "string", required: true },
      team: { type: "string", required: true },
      employee: { type: "string", required: true },
      title: { type: ["Junior", "Senior", "Lead"], required: true },
      salary: { type: "number", default: 100 },
      skills: { type: "set", items: "string" },
      tasks: { type: "list", items: { type: "string" } },
      address: { type: "map", properties: { city: { type: "string" }, zip: { type: "string" } } },
      active: { type: "boolean" },
      created: { type: "number", readOnly: true, default: 1 },
    },
    indexes: {
      employee: {
        pk: { field: "pk", composite: ["employee"] },
        sk: { field: "sk", composite: [] },
      },
      team: {
        collection: "assignments",
        index: "gsi1",
        pk: { field: "gsi1pk", composite: ["team"] },
        sk: { field: "gsi1sk", composite: ["title", "employee"] },
      },
    },
  },
  { client, table },
);

const Task = new Entity(
  {
    model: { entity: "task", version: "1", service: "work" },
    attributes: {
      task: { type: "string", required: true },
      team: { type: "string", required: true },
      status: { type: ["open", "closed"], default: "open" },
      points: { type: "number", required: true },
    },
    indexes: {
      task: {
        pk: { field: "pk", composite: ["task"] },
        sk: { field: "sk", composite: ["team"] },
      },
      assigned: {
        collection: "assignments",
        index: "gsi1",
        pk: { field: "gsi1pk", composite: ["team"] },
        sk: { field: "gsi1sk", composite: ["status", "task"] },
      },
    },
  },
  { client, table },
);

const work = new Service({ Employee, Task }, { client, table });

const person = (employee, more) => ({ employee, office: "north", team: "red", title: "Junior", ...more });
const told = (error) => ({
  name: error.name,
  code: error.code,
  message: error.message,
  cause: error.cause?.name ?? null,
  status: error.cause?.$metadata?.httpStatusCode ?? null,
});

const steps = {
  async table() {
    await client.send(
      new CreateTableCommand({
        TableName: table,
        BillingMode: "PAY_PER_REQUEST",
        AttributeDefinitions: ["pk", "sk", "gsi1pk", "gsi1sk"].map(attribute),
        KeySchema: schema("pk", "sk"),
        GlobalSecondaryIndexes: [
          {
            IndexName: "gsi1",
            KeySchema: schema("gsi1pk", "gsi1sk"),
            Projection: { ProjectionType: "ALL" },
          },
        ],
      }),
    );
    await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1 }, { TableName: table });
  },

  // `create` is a put on condition that nothing is there.
  async create() {
    const given = person("ada", {
      skills: ["b", "a"],
      tasks: ["one"],
      address: { city: "Zürich", zip: "8000" },
      active: true,
    });
    const created = await Employee.create(given).go();
    const raw = await Employee.get({ employee: "ada" }).go({ data: "raw" });
    const { data } = await Employee.get({ employee: "ada" }).go({ consistent: true });
    return {
      created: created.data.employee,
      keys: [raw.data.Item.pk, raw.data.Item.sk, raw.data.Item.gsi1pk, raw.data.Item.gsi1sk],
      item: { ...data, skills: [...data.skills].sort() },
      again: told(await refusal(Employee.create(given).go())),
      missing: (await Employee.get({ employee: "nobody" }).go()).data,
    };
  },

  async patch() {
    const patched = await Employee.patch({ employee: "ada" })
      .set({ active: false, address: { city: "Bern" } })
      .add({ salary: 5, skills: ["c"] })
      .append({ tasks: ["two"] })
      .where(({ salary, skills }, { eq, contains }) => `${eq(salary, 100)} AND ${contains(skills, "a")}`)
      .go({ response: "all_new" });
    const deleted = await Employee.update({ employee: "ada" })
      .delete({ skills: ["a"] })
      .subtract({ salary: 1 })
      .data(({ tasks, address }, { set, remove }) => {
        set(tasks[0], "uno");
        set(address.zip, "3000");
        remove(tasks[1]);
      })
      .go({ response: "updated_new" });
    const failed = await refusal(
      Employee.patch({ employee: "ada" })
        .set({ active: true })
        .where(({ salary }, { gt }) => gt(salary, 1000))
        .go(),
    );
    return {
      patched: { ...patched.data, skills: [...patched.data.skills].sort() },
      deleted: { ...deleted.data, skills: [...deleted.data.skills].sort() },
      failed: told(failed),
      missing: told(await refusal(Employee.patch({ employee: "nobody" }).set({ active: true }).go())),
    };
  },

  // What is there stays, what is readOnly or a default is only set by the first.
  async upsert() {
    const first = await Employee.upsert(person("upsert", { salary: 7 })).go({ response: "all_new" });
    const second = await Employee.upsert({ ...person("upsert"), title: "Lead" })
      .add({ salary: 3 })
      .ifNotExists({ active: true })
      .go({ response: "all_new" });
    return [first.data, second.data];
  },

  async batches() {
    const people = [...Array(60).keys()].map((number) =>
      person(`p${String(number).padStart(2, "0")}`, { team: "blue", salary: number }),
    );
    const put = await Employee.put(people).go({ concurrency: 3 });
    const read = await Employee.get(people.map(({ employee }) => ({ employee }))).go({ concurrency: 2 });
    const gone = await Employee.delete([{ employee: "p58" }, { employee: "p59" }]).go();
    return {
      unprocessed: [put.unprocessed, read.unprocessed, gone.unprocessed],
      salaries: read.data.reduce((sum, { salary }) => sum + salary, 0),
    };
  },

  async query() {
    const some = await Employee.query
      .team({ team: "blue", title: "Junior" })
      .between({ employee: "p10" }, { employee: "p13" })
      .go({ attributes: ["employee", "salary"] });
    const rich = await Employee.query
      .team({ team: "blue" })
      .where(({ salary }, { gte }) => gte(salary, 55))
      .go({ pages: "all", order: "desc" });
    const pages = [];
    let cursor = null;
    for (let page = 0; page < 10; page += 1) {
      const answer = await Employee.query.team({ team: "blue" }).go({ cursor, limit: 25 });
      pages.push(answer.data.map(({ employee }) => employee));
      cursor = answer.cursor;
      if (cursor === null) break;
    }
    const found = await Employee.find({ team: "blue", title: "Junior", employee: "p07" }).go();
    const matched = await Employee.match({ team: "blue", salary: 7 }).go({ pages: "all" });
    return {
      some: some.data,
      rich: rich.data.map(({ employee }) => employee),
      pages: pages.map((page) => [page.length, page[0], page.at(-1)]),
      found: found.data.map(({ employee }) => employee),
      matched: matched.data.map(({ employee }) => employee),
    };
  },

  // A collection is one query of an index, whose items belong to both entities.
  async collection() {
    await Task.put([
      { task: "t1", team: "red", points: 3 },
      { task: "t2", team: "red", points: 5, status: "closed" },
      { task: "t3", team: "blue", points: 8 },
    ]).go();
    const { data } = await work.collections.assignments({ team: "red" }).go();
    const filtered = await work.collections
      .assignments({ team: "red" })
      .where(({ points }, { gt }) => gt(points, 3))
      .go();
    return {
      employees: data.Employee.map(({ employee }) => employee),
      tasks: data.Task.map(({ task, status }) => [task, status]),
      filtered: filtered.data.Task.map(({ task }) => task),
    };
  },

  async scan() {
    const all = await Employee.scan
      .where(({ team }, { eq }) => eq(team, "blue"))
      .go({ pages: "all" });
    return all.data.length;
  },

  async remove() {
    const removed = await Task.remove({ task: "t1", team: "red" }).go({ response: "all_old" });
    const again = await refusal(Task.remove({ task: "t1", team: "red" }).go());
    const deleted = await Task.delete({ task: "t1", team: "red" }).go({ response: "all_old" });
    return { removed: removed.data, again: told(again), deleted: deleted.data };
  },

  // A transaction that is cancelled is an answer here, not an error.
  async transactions() {
    const write = (task, salary) =>
      work.transaction
        .write(({ Employee: people, Task: tasks }) => [
          tasks.create({ task, team: "red", points: 1 }).commit(),
          people
            .patch({ employee: "ada" })
            .add({ salary: 1 })
            .where((attributes, { eq }) => eq(attributes.salary, salary))
            .commit({ response: "all_old" }),
          people.check({ employee: "upsert" }).where(({ title }, { exists }) => exists(title)).commit(),
        ])
        .go();
    const failed = await write("x1", 0);
    const done = await write("x1", 104);
    const { data } = await work.transaction
      .get(({ Employee: people, Task: tasks }) => [
        people.get({ employee: "ada" }).commit(),
        tasks.get({ task: "x1", team: "red" }).commit(),
        tasks.get({ task: "none", team: "red" }).commit(),
      ])
      .go();
    return {
      failed: [failed.canceled, failed.data.map(({ rejected, code, message }) => [rejected, code, message])],
      old: failed.data[1].item?.salary,
      done: [done.canceled, done.data.map(({ rejected }) => rejected)],
      salary: data[0].item.salary,
      tasks: data.slice(1).map(({ item }) => item),
    };
  },

  async refusals() {
    const elsewhere = new Entity(
      {
        model: { entity: "task", version: "1", service: "work" },
        attributes: { task: { type: "string" } },
        indexes: { task: { pk: { field: "pk", composite: ["task"] }, sk: { field: "sk", composite: [] } } },
      },
      { client, table: "no-such-table" },
    );
    return {
      missing: told(await refusal(elsewhere.get({ task: "t" }).go())),
      invalid: told(await refusal(Employee.create(person("x", { title: "Boss" })).go())),
    };
  },
};

await run(steps);
