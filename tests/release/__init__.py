"""Releases: built twice, tried in clean environments, described by checksums, SBOM and notes."""
