/** Workflows of more than one plain request: registering, creating and moving. */

import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

import { show, transact } from "./dynamo.js";
import {
  TABLE,
  type Activity,
  type Task,
  type User,
  activityItem,
  createATask,
  emailItem,
  openTasksOfAMember,
  takeATaskNumber,
  taskItem,
  userItem,
} from "./patterns.js";

const NEW = "attribute_not_exists(pk)";

/** Puts a user and the claim of the address; false if either is taken. */
export async function registerAUser(db: DynamoDBDocumentClient, user: User): Promise<boolean> {
  const items = [userItem(user), emailItem({ email: user.email, accountId: user.accountId })];
  const actions = items.map((Item) => ({
    Put: { TableName: TABLE, Item, ConditionExpression: NEW },
  }));
  return (await transact(db, actions)).length === 0;
}

/** Numbers a task and puts it; the task with its number. */
export async function newTask(
  db: DynamoDBDocumentClient,
  orgId: string,
  projectId: string,
  task: Omit<Task, "orgId" | "projectId" | "number" | "version">,
): Promise<Task> {
  const { lastNumber } = await takeATaskNumber(db, orgId, projectId);
  const numbered = { orgId, projectId, number: lastNumber, version: 1, ...task };
  await createATask(db, numbered);
  return numbered;
}

/** Moves the card that a member saw; false if it has changed since, so that it is read again. */
export async function moveATask(
  db: DynamoDBDocumentClient,
  task: Task,
  status: string,
  rank: string,
  activity: Omit<Activity, "orgId" | "month" | "text">,
): Promise<boolean> {
  const { pk, sk } = taskItem(task);
  const keepsOpen = status !== "done" && task.assignee !== undefined;
  const Update = {
    TableName: TABLE,
    Key: { pk, sk },
    UpdateExpression:
      "SET #status = :status, #rank = :rank, version = version + :one" +
      (status === "done" ? " REMOVE openFor" : keepsOpen ? ", openFor = :assignee" : ""),
    ConditionExpression: "version = :version",
    ExpressionAttributeNames: { "#status": "status", "#rank": "rank" },
    ExpressionAttributeValues: {
      ":status": status,
      ":rank": rank,
      ":one": 1,
      ":version": task.version,
      ...(keepsOpen ? { ":assignee": task.assignee } : {}),
    },
  };
  const text = `moved ${task.projectId}-${task.number} to ${status}`;
  const month = activity.at.slice(0, 7);
  const Item = activityItem({ orgId: task.orgId, month, text, ...activity });
  const actions = [{ Update }, { Put: { TableName: TABLE, Item } }];
  return (await transact(db, actions)).length === 0;
}

/** Runs each workflow once. */
export async function demo(db: DynamoDBDocumentClient): Promise<void> {
  const user = { accountId: "dee", name: "Dee", email: "dee@example.com" };
  show("Register", await registerAUser(db, user));
  const other = { accountId: "dan", name: "Dan", email: "dee@example.com" };
  show("Register a second user with the address", await registerAUser(db, other));
  const card = { title: "Say hello", status: "open", rank: "m", assignee: "dee" };
  const task = await newTask(db, "acme", "WEB", { ...card, openFor: "dee", due: "2026-12-24" });
  show("Number of a new task", task.number);
  const at = "2026-11-21T08:00:00Z";
  const activity = { at, activityId: "a9", actor: "dee", expires: 4102444800 };
  show("Move", await moveATask(db, task, "done", "z", activity));
  show("Move again what has changed", await moveATask(db, task, "open", "a", activity));
  show("Open tasks of dee", await openTasksOfAMember(db, "acme", "dee"));
}
