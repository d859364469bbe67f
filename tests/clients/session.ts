// A session with openapi-fetch and the types that openapi-typescript generates, as "study-data-service".
// Tells what it saw as JSON.

import createClient from "openapi-fetch";
import type { paths } from "study-data-service";

const api = createClient<paths>({
  baseUrl: process.env.STUDY_URL,
  headers: { Authorization: `Bearer ${process.env.STUDY_API_KEY}` },
});

/** The record of an answer, which must not be an error. */
function got<T>(answer: { data?: T; error?: unknown }): T {
  if (answer.data === undefined) throw new Error(JSON.stringify(answer.error));
  return answer.data;
}

/** The titles of what is new, page by page. */
async function polled(since: string): Promise<string[]> {
  const titles: string[] = [];
  let cursor: string | undefined;
  do {
    const page = got(await api.GET("/v1/items", { params: { query: { created_after: since, limit: 2, cursor } } }));
    titles.push(...page.data.map((item) => item.title));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return titles;
}

const biology = {
  params: { header: { "Idempotency-Key": crypto.randomUUID() } },
  body: { name: "Cell Biology" },
};
const course = got(await api.POST("/v1/courses", biology));
const again = await api.POST("/v1/courses", biology);
if (got(again).id !== course.id || again.response.headers.get("Idempotency-Replayed") !== "true") {
  throw new Error("It was done twice");
}
const ofCourse = { params: { path: { course_id: course.id } } };
const item = got(
  await api.POST("/v1/courses/{course_id}/items", {
    ...ofCourse,
    body: { title: "Midterm", kind: "exam", due_on: "2030-01-31" },
  }),
);
for (const title of ["Quiz", "Essay"]) {
  got(await api.POST("/v1/courses/{course_id}/items", { ...ofCourse, body: { title } }));
}

const step = got(
  await api.POST("/v1/items/{item_id}/milestones", {
    params: { path: { item_id: item.id } },
    body: { title: "Outline" },
  }),
);
const done = got(
  await api.PATCH("/v1/milestones/{milestone_id}", {
    params: { path: { milestone_id: step.id } },
    body: { done: true },
  }),
);

const made = got(
  await api.PUT("/v1/courses/{course_id}/grade-categories", {
    ...ofCourse,
    body: { categories: [{ name: "Quizzes", weight: 40 }] },
  }),
);
got(
  await api.POST("/v1/courses/{course_id}/grade-scores", {
    ...ofCourse,
    body: { category_id: made.categories[0]!.id, label: "Quiz 1", score: 84.5 },
  }),
);
const grades = got(await api.GET("/v1/courses/{course_id}/grades", ofCourse));

const deck = got(
  await api.POST("/v1/vocab-decks", { body: { name: "Organelles", cards: [{ term: "ATP", definition: "Energy" }] } }),
);
const card = got(
  await api.POST("/v1/vocab-cards/{card_id}/reviews", {
    params: { path: { card_id: deck.cards![0]!.id } },
    body: { rating: "good" },
  }),
);

const unknown: typeof item = { ...item, kind: "seminar" };

const saw = {
  term: course.term,
  kinds: [item.kind, unknown.kind],
  polled: await polled("2020-01-01T00:00:00Z"),
  done: done.done,
  grade: [grades.current_grade, grades.letter_grade],
  card: card.state,
  deleted: got(await api.DELETE("/v1/courses/{course_id}", ofCourse)).deleted,
  error: (await api.GET("/v1/courses/{course_id}", ofCourse)).error?.error.type,
};
console.log(JSON.stringify(saw));
