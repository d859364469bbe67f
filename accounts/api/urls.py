"""Routes of the member and of the log of changes."""

from django.urls import path

from accounts.api.views import ArchiveViewSet, ChangeViewSet, MeViewSet

urlpatterns = [
    path("me", MeViewSet.as_view({"get": "get_me", "patch": "update_me"})),
    path("export", ArchiveViewSet.as_view({"get": "export_data"})),
    path("import", ArchiveViewSet.as_view({"post": "import_data"})),
    path("changes", ChangeViewSet.as_view({"get": "list_changes"})),
    path("changes/<change_id>/undo", ChangeViewSet.as_view({"post": "undo_change"})),
]
