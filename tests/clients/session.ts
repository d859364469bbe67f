// A session with the TypeScript client of `make clients`. Tells what it saw as JSON.

import { connect, every, got } from "study-data-service-client";

const study = connect();

const biology = {
  params: { header: { "Idempotency-Key": "8e03978e-40d5-43dd-bc93-6894a57f9324" } },
  body: { name: "Cell Biology" },
};
const course = await got(study.POST("/v1/courses", biology));
const again = await study.POST("/v1/courses", biology);
if (again.data?.id !== course.id || again.response.headers.get("Idempotency-Replayed") !== "true") {
  throw new Error("It was done twice");
}
const ofCourse = { params: { path: { course_id: course.id } } };
const item = await got(
  study.POST("/v1/courses/{course_id}/items", {
    ...ofCourse,
    body: { title: "Midterm", kind: "exam", due_on: "2030-01-31" },
  }),
);
for (const title of ["Quiz", "Essay"]) {
  await got(study.POST("/v1/courses/{course_id}/items", { ...ofCourse, body: { title } }));
}
const polled: string[] = [];
for await (const found of every(study, "/v1/items", { created_after: "2020-01-01T00:00:00Z", limit: 2 })) {
  polled.push(found.title);
}

const step = await got(
  study.POST("/v1/items/{item_id}/milestones", {
    params: { path: { item_id: item.id } },
    body: { title: "Outline" },
  }),
);
const done = await got(
  study.PATCH("/v1/milestones/{milestone_id}", {
    params: { path: { milestone_id: step.id } },
    body: { done: true },
  }),
);

const made = await got(
  study.PUT("/v1/courses/{course_id}/grade-categories", {
    ...ofCourse,
    body: { categories: [{ name: "Quizzes", weight: 40 }] },
  }),
);
await got(
  study.POST("/v1/courses/{course_id}/grade-scores", {
    ...ofCourse,
    body: { category_id: made.categories[0]!.id, label: "Quiz 1", score: 84.5 },
  }),
);
const grades = await got(study.GET("/v1/courses/{course_id}/grades", ofCourse));

const deck = await got(
  study.POST("/v1/vocab-decks", { body: { name: "Organelles", cards: [{ term: "ATP", definition: "Energy" }] } }),
);
const card = await got(
  study.POST("/v1/vocab-cards/{card_id}/reviews", {
    params: { path: { card_id: deck.cards![0]!.id } },
    body: { rating: "good" },
  }),
);

// @ts-expect-error: its list does not come in pages.
every(study, "/v1/vocab-decks");

const saw = {
  term: course.term,
  kind: item.kind,
  polled,
  done: done.done,
  grade: [grades.current_grade, grades.letter_grade],
  card: card.state,
  deleted: (await got(study.DELETE("/v1/courses/{course_id}", ofCourse))).deleted,
  error: (await study.GET("/v1/courses/{course_id}", ofCourse)).error?.error.type,
};
console.log(JSON.stringify(saw));
