"""The prompts, each with the names that complete its argument."""

from collections.abc import Mapping
from dataclasses import dataclass

from mcp.types import Prompt, PromptArgument

from mcpbridge import prompt_texts
from mcpbridge.icons import icon
from mcpbridge.prompt_texts import Text


@dataclass(frozen=True, slots=True)
class Named:
    """The kind of object that an argument names.

    Attributes:
        noun: the word for it.
        tool: lists all of them.
        details: fields that distinguish objects of the same name, in order of preference.
    """

    noun: str
    tool: str
    details: tuple[str, ...]


COURSE = Named("course", "list_courses", ("code", "term"))
DECK = Named("deck", "list_vocab_decks", ("course_name",))


@dataclass(frozen=True, slots=True)
class AssistantPrompt:
    """A prompt with one argument, whose values are names.

    Attributes:
        definition: for `prompts/list`.
        argument: the one in the definition.
        names: the kind of its values.
        text: writes the prompt.
    """

    definition: Prompt
    argument: PromptArgument
    names: Named
    text: Text


def _prompt(
    name: str, title: str, description: str, *, argument: PromptArgument, names: Named, text: Text
) -> AssistantPrompt:
    definition = Prompt(
        name=name, title=title, description=description, arguments=[argument], icons=[icon(f"prompts/{name}")]
    )
    return AssistantPrompt(definition, argument, names, text)


def _course(description: str, *, required: bool = False) -> PromptArgument:
    return PromptArgument(name=COURSE.noun, title="Course", description=description, required=required)


_ALL = (
    _prompt(
        "enter_syllabus",
        "Enter a syllabus",
        "Reads a syllabus that you paste or attach, and proposes the course, its dates and its grading.",
        argument=_course("The course's name, if it is there already."),
        names=COURSE,
        text=prompt_texts.enter_syllabus,
    ),
    _prompt(
        "plan_week",
        "Plan my week",
        "Proposes what to study on which day, from what is due and from your study plans.",
        argument=_course("The name of the one course to plan for; all without it."),
        names=COURSE,
        text=prompt_texts.plan_week,
    ),
    _prompt(
        "quiz_me",
        "Quiz me",
        "Asks the due cards of a flashcard deck, ten at a time, and records how well you knew them.",
        argument=PromptArgument(name=DECK.noun, title="Deck", description="The deck's name.", required=True),
        names=DECK,
        text=prompt_texts.quiz_me,
    ),
    _prompt(
        "exam_check",
        "Check my exam readiness",
        "Looks at plan, grades, flashcards and practice of a course before its next exam.",
        argument=_course("The course's name.", required=True),
        names=COURSE,
        text=prompt_texts.exam_check,
    ),
)

PROMPTS: Mapping[str, AssistantPrompt] = {prompt.definition.name: prompt for prompt in _ALL}
"""Every prompt by name."""
