"""The order of the queue, without threads."""

import pytest

from studyservice.server.fair_queue import FairQueue, Lane

pytestmark = pytest.mark.database("sqlite", "in-memory queues")

GREEDY = Lane("greedy", 2)
OTHER = Lane("other", 2)


def taken(queue: FairQueue[str]) -> list[str]:
    """All tasks that may run now."""
    tasks = []
    while (task := queue.take()) is not None:
        tasks.append(task)
    return tasks


def test_a_lane_runs_no_more_than_its_share() -> None:
    queue: FairQueue[str] = FairQueue(4)
    for task in ("a", "b", "c"):
        queue.submit(GREEDY, task)
    assert taken(queue) == ["a", "b"]
    queue.finished("a")
    assert taken(queue) == ["c"]


def test_another_lane_runs_beside_a_full_one() -> None:
    queue: FairQueue[str] = FairQueue(4)
    for task in ("a", "b", "c"):
        queue.submit(GREEDY, task)
    queue.submit(OTHER, "x")
    assert taken(queue) == ["a", "x", "b"]


def test_lanes_take_turns() -> None:
    queue: FairQueue[str] = FairQueue(1)
    for task in ("a", "b", "c"):
        queue.submit(GREEDY, task)
    assert taken(queue) == ["a"]
    for task in ("x", "y"):
        queue.submit(OTHER, task)
    order = []
    running = "a"
    for _ in range(4):
        queue.finished(running)
        [running] = taken(queue)
        order.append(running)
    assert order == ["b", "x", "c", "y"]


def test_no_more_tasks_run_than_there_are_slots() -> None:
    queue: FairQueue[str] = FairQueue(3)
    for number in range(5):
        queue.submit(Lane(f"lane {number}", 1), f"task {number}")
    assert taken(queue) == ["task 0", "task 1", "task 2"]
    queue.finished("task 1")
    assert taken(queue) == ["task 3"]


def test_a_finished_task_can_be_added_again() -> None:
    queue: FairQueue[str] = FairQueue(1)
    for _ in range(3):
        queue.submit(GREEDY, "a")
        assert taken(queue) == ["a"]
        queue.finished("a")


def test_a_task_without_a_slot_frees_none() -> None:
    queue: FairQueue[str] = FairQueue(1)
    queue.submit(GREEDY, "a")
    assert taken(queue) == ["a"]
    queue.finished("never taken")
    queue.submit(OTHER, "x")
    assert taken(queue) == []


def test_an_answered_task_frees_its_slot_but_not_its_lane() -> None:
    queue: FairQueue[str] = FairQueue(2)
    for task in ("a", "b", "c"):
        queue.submit(GREEDY, task)
    queue.submit(OTHER, "x")
    assert taken(queue) == ["a", "x"]
    queue.answered("a")
    assert taken(queue) == ["b"]
    queue.answered("b")
    queue.finished("x")
    assert taken(queue) == []
    queue.finished("a")
    assert taken(queue) == ["c"]
