"""Limits on the number of rows that a member, or one object of a member, may have."""

from dataclasses import dataclass

from studyservice.operations.errors import Conflict


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """The most rows of a model. Creating, undoing and importing use the same object.

    Attributes:
        most: rows.
        what: names the rows: `items of a course`.
        full: the error message, with `{most}`.
        per: path to the object whose rows count together, like `category__course`. Empty: all rows of the member.
        counter: column of that object with the number of rows, if there is one.
    """

    most: int
    what: str
    full: str
    per: str = ""
    counter: str = ""

    def refusal(self, present: int = 0, more: int = 1) -> Conflict:
        """The error when there is no space for `more` rows beside the `present` ones.

        It has no number of all the member's rows, which a credential for some courses must not learn.
        """
        if more == 1:
            return Conflict(self.full.format(most=self.most))
        if not self.per:
            return Conflict(
                f"With these there would be over {self.most} {self.what}. Send fewer, or delete some first."
            )
        over = present + more - self.most
        told = f"That is {over} too many: there can be at most {self.most} {self.what}, and there are {present}."
        return Conflict(f"{told} Send fewer, or delete some first.")

    def require(self, present: int, more: int = 1) -> None:
        """Raise `refusal` unless `more` rows fit beside the `present` ones."""
        if present + more > self.most:
            raise self.refusal(present, more)
