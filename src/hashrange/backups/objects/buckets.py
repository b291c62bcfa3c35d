"""The buckets of a server, by name."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from hashrange.backups.objects.bucket import Bucket, BucketError, Failure
from hashrange.settings.buckets import BucketLocation, S3Location, bucket_locations

if TYPE_CHECKING:
    from hashrange.backups.objects.s3 import ObjectEncryption


class Buckets:
    """Opens the buckets that the settings name.

    Args:
        locations: where they lie.
        new_id: makes ids that no other upload has.
    """

    def __init__(self, locations: Sequence[BucketLocation], *, new_id: Callable[[], str]) -> None:
        self._locations: Final = {location.name: location for location in locations}
        self._new_id = new_id

    @classmethod
    def of(cls, text: str | None, *, new_id: Callable[[], str]) -> "Buckets":
        """The buckets that the text of the setting names; none if there is no text."""
        return cls(() if text is None else bucket_locations(text), new_id=new_id)

    def check(self) -> None:
        """Raise MissingPackageError if a bucket needs a package that is not installed.

        For the start of a server: its operator gets the error, rather than a caller much later.
        """
        for location in self._locations.values():
            if isinstance(location.location, S3Location):
                self.opened(location.name)

    def location(self, name: str) -> BucketLocation:
        """Where a bucket lies. Raises BucketError if the settings do not name it."""
        location = self._locations.get(name)
        if location is None:
            text = (
                f"the bucket {name} has no place: start the server with --s3 {name}=DIRECTORY|URL"
            )
            raise BucketError(Failure.NO_SUCH_BUCKET, text)
        return location

    def opened(
        self,
        name: str,
        encryption: "ObjectEncryption | None" = None,
        *,
        storage_class: str | None = None,
    ) -> Bucket:
        """A bucket. Raises BucketError.

        `encryption` and `storage_class` are of the objects that are put behind a URL. A directory
        has none: whoever can read its files can read the objects.
        """
        found = self.location(name)
        if isinstance(found.location, S3Location):
            from hashrange.backups.objects.s3 import S3Bucket  # noqa: PLC0415 - few servers need it

            return S3Bucket(
                name, found.location, encryption=encryption, storage_class=storage_class
            )
        from hashrange.backups.objects.directory import DirectoryBucket  # noqa: PLC0415

        return DirectoryBucket(name, found.location, new_id=self._new_id)
