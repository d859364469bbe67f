"""Operations on courses and items."""

from http import HTTPStatus
from uuid import UUID

from accounts.viewsets import MemberViewSet
from courses import courses, item_pages, items
from courses.serializers import (
    CourseBody,
    CourseDetailRecord,
    CourseDetailRow,
    CourseQuery,
    CourseRecord,
    CourseRow,
    ItemBody,
    ItemRecord,
    ItemRow,
    ItemsQuery,
)
from studyservice.operations.declaration import Scope, operation
from studyservice.operations.serializers import Deleted, DeletedRow, Page, page


class CourseViewSet(MemberViewSet):
    """A member's courses."""

    tag = "Courses"

    @operation("List courses", scope=Scope.READ, answer=CourseRecord, many=True)
    def list_courses(self) -> Page[CourseRow]:
        """All courses of the member, oldest first, in one page."""
        return page(courses.list_courses(self.member))

    @operation(
        "Create a course",
        scope=Scope.WRITE,
        answer=CourseRecord,
        status=HTTPStatus.CREATED,
        body=CourseBody,
        counted=True,
    )
    def create_course(self) -> CourseRow:
        """Create a course. A member can have 30 courses; one more answers conflict."""
        return courses.create_course(self.member, **self.body)

    @operation("Get a course", scope=Scope.READ, answer=CourseDetailRecord, query=CourseQuery)
    def get_course(self, course_id: UUID) -> CourseDetailRow:
        """A course with its next five dated items, and its syllabus text if include_syllabus is true."""
        return courses.get_course(self.member, course_id, **self.query)

    @operation(
        "Change a course",
        scope=Scope.WRITE,
        answer=CourseRecord,
        body=CourseBody,
        partial=True,
        exists=courses.require_course,
    )
    def update_course(self, course_id: UUID) -> CourseRow:
        """Change the fields that are sent; null clears an optional one."""
        return courses.update_course(self.member, course_id, **self.body)

    @operation("Delete a course", scope=Scope.WRITE, answer=Deleted, consequential=True)
    def delete_course(self, course_id: UUID) -> DeletedRow:
        """Permanently delete a course with its items, milestones, grades and uploaded files. Confirm with the
        member first.
        """
        return courses.delete_course(self.member, course_id)


class ItemViewSet(MemberViewSet):
    """A member's dated items."""

    tag = "Items"

    @operation("List items", scope=Scope.READ, answer=ItemRecord, many=True, query=ItemsQuery)
    def list_items(self) -> Page[ItemRow]:
        """Dated items, soonest due first, undated last. To find new ones, pass the newest created_at you have seen
        as created_after.
        """
        return item_pages.list_items(self.member, **self.query)

    @operation("Get an item", scope=Scope.READ, answer=ItemRecord)
    def get_item(self, item_id: UUID) -> ItemRow:
        """A dated course item."""
        return items.get_item(self.member, item_id)

    @operation(
        "Create an item",
        scope=Scope.WRITE,
        answer=ItemRecord,
        status=HTTPStatus.CREATED,
        body=ItemBody,
        exists=courses.require_course,
        counted=True,
    )
    def create_item(self, course_id: UUID) -> ItemRow:
        """Add an exam, quiz, assignment, lab, paper, project or other item to a course. A course can have 1,000, a
        member 5,000; one more answers conflict.
        """
        return items.create_item(self.member, course_id, **self.body)

    @operation(
        "Change an item",
        scope=Scope.WRITE,
        answer=ItemRecord,
        body=ItemBody,
        partial=True,
        exists=items.get_item,
    )
    def update_item(self, item_id: UUID) -> ItemRow:
        """Change the fields that are sent; a due_on of null makes the item undated."""
        return items.update_item(self.member, item_id, **self.body)

    @operation("Delete an item", scope=Scope.WRITE, answer=Deleted, consequential=True)
    def delete_item(self, item_id: UUID) -> DeletedRow:
        """Permanently delete an item with its milestones. Confirm with the member first."""
        return items.delete_item(self.member, item_id)
