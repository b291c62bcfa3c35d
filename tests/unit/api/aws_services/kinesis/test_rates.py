"""What a shard takes and gives within a second."""

from hashrange.api.aws_services.kinesis.rates import ShardRates

SHARD = (1, 0)
MB = 1024 * 1024


def test_a_shard_takes_a_thousand_records_a_second():
    rates = ShardRates()
    assert [rates.put(SHARD, 1, 0) for _ in range(1001)] == [True] * 1000 + [False]
    assert rates.put((1, 1), 1, 0)
    assert rates.put(SHARD, 1, 1)
    assert not rates.put(SHARD, 1, 1)


def test_a_shard_takes_a_megabyte_a_second():
    rates = ShardRates()
    assert rates.put(SHARD, MB, 0)
    assert not rates.put(SHARD, 1000, 0)
    assert not rates.put(SHARD, MB, 500)
    assert rates.put(SHARD, MB, 1000)


# Of a page of 10 MB nothing is read for the next five seconds.
def test_a_shard_is_read_five_times_and_two_megabytes_a_second():
    rates = ShardRates()
    assert [rates.may_read(SHARD, 0) for _ in range(6)] == [True] * 5 + [False]
    rates.read(SHARD, 10 * MB, 0)
    assert not rates.may_read(SHARD, 3999)
    assert rates.may_read(SHARD, 4000)
