"""URLs of the guides."""

from django.urls import path

from studyservice.guides.views import ChangelogFeed, changelog, guide, guide_list, search_index

urlpatterns = [
    path("docs/guides", guide_list, name="guides"),
    path("docs/guides/<slug:index>", guide_list, name="guide-index"),
    path("docs/search.json", search_index, name="guide-search"),
    path("docs/<slug:slug>", guide, name="guide"),
    path("changelog", changelog, name="changelog"),
    path("changelog.atom", ChangelogFeed(), name="changelog-feed"),
]
