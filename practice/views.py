"""Operations on practice."""

from practice import stats
from practice.serializers import PracticeQuery, PracticeStatsRow
from studyservice.operations.declaration import Scope, operation
from studyservice.viewsets import MemberViewSet


class PracticeViewSet(MemberViewSet):
    """The practice operation."""

    tag = "Practice"

    @operation("Get practice statistics", scope=Scope.READ, answer=PracticeStatsRow, query=PracticeQuery)
    def get_practice_stats(self) -> PracticeStatsRow:
        """Accuracy, streak, attempts per day and weak topics over the last days, counted in the member's time zone.

        See how practice is going: answers per day, the share of correct ones, the current streak and the topics
        that need work.
        """
        return stats.get_practice_stats(self.access, **self.query)
