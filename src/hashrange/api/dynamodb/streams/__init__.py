"""Operations of the streams API, and StreamSpecification, the setting that enables a stream.

Begin with `specification`, then `get_shard_iterator` and `get_records`. Records and shards
themselves are made and read in `hashrange.tables.streams`.
"""
