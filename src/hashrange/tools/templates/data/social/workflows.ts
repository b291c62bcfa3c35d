/** Workflows of more than one plain request: publishing, the feed, likes and their number. */

import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

import { type Item, putAll, shardOf, show } from "./dynamo.js";
import {
  TABLE,
  type FeedEntry,
  type Key,
  type Post,
  addLikesToAPost,
  feedEntryItem,
  feedOfAUser,
  followedCelebrities,
  followersOfAUser,
  postsOfAUser,
  profileOfAUser,
  putALike,
  putAPost,
} from "./patterns.js";

const SHARDS = 16;
const EXCERPT = 140;

/** Puts a post and pushes it into the feeds of the followers; their number. */
export async function publish(
  db: DynamoDBDocumentClient,
  post: Omit<Post, "likes">,
  expires: number,
): Promise<number> {
  await putAPost(db, { likes: 0, ...post });
  const profile = await profileOfAUser(db, post.author);
  if (profile === undefined || profile.celebrity) return 0;
  const excerpt = post.text.slice(0, EXCERPT);
  const entry = { postId: post.postId, writer: post.author, excerpt, expires };
  let pushed = 0;
  let start: Item | undefined;
  do {
    // Let a worker of the stream do this: the author need not wait.
    const page = await followersOfAUser(db, post.author, 1000, start);
    const items = page.items.map((each) => feedEntryItem({ reader: each.follower!, ...entry }));
    await putAll(db, TABLE, items);
    pushed += items.length;
    start = page.next;
  } while (start !== undefined);
  return pushed;
}

/** What was pushed to a user and what celebrities have posted, the newest first. */
export async function feed(
  db: DynamoDBDocumentClient,
  userId: string,
  limit: number,
): Promise<((FeedEntry | Post) & Key)[]> {
  const [pushed, edges] = await Promise.all([
    feedOfAUser(db, userId, limit),
    followedCelebrities(db, userId),
  ]);
  const pulled = await Promise.all(edges.map((each) => postsOfAUser(db, each.followee!, limit)));
  const found = [...pushed.items, ...pulled.flatMap((page) => page.items)];
  return found.sort((one, other) => other.postId.localeCompare(one.postId)).slice(0, limit);
}

/** Likes a post; false if the fan has done so already. */
export async function like(
  db: DynamoDBDocumentClient,
  author: string,
  postId: string,
  fan: string,
): Promise<boolean> {
  try {
    const part = shardOf(fan, SHARDS);
    await putALike(db, { liked: postId, part, fan, likedAuthor: author });
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

/** Adds the new likes among records of the stream to their posts; the number of updates. */
export async function countLikes(db: DynamoDBDocumentClient, records: Item[]): Promise<number> {
  const likes = new Map<string, { author: string; postId: string; number: number }>();
  for (const { eventName, dynamodb } of records as { eventName: string; dynamodb: Item }[]) {
    const image = dynamodb["NewImage"];
    if (eventName !== "INSERT" || image?.liked === undefined) continue;
    const [author, postId] = [image.likedAuthor.S, image.liked.S];
    const number = (likes.get(postId)?.number ?? 0) + 1;
    likes.set(postId, { author, postId, number });
  }
  for (const { author, postId, number } of likes.values()) {
    await addLikesToAPost(db, author, postId, number);
  }
  return likes.size;
}

/** Runs each workflow once. */
export async function demo(db: DynamoDBDocumentClient): Promise<void> {
  const post = { author: "ada", postId: "20261122T0900-p4", text: "A new one" };
  show("Feeds with the post", await publish(db, post, 4102444800));
  const star = { author: "star", postId: "20261122T1000-p5", text: "Thank you" };
  show("Feeds with a post of a celebrity", await publish(db, star, 4102444800));
  show("Feed", await feed(db, "bob", 10));
  show("Like", await like(db, "ada", post.postId, "bob"));
  show("Like again", await like(db, "ada", post.postId, "bob"));
  const image = { liked: { S: post.postId }, likedAuthor: { S: "ada" } };
  const record = { eventName: "INSERT", dynamodb: { NewImage: image } };
  show("Posts with new likes", await countLikes(db, [record, record]));
}
