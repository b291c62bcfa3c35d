"""Hypothesis strategies, one for each kind of thing that many properties draw."""

from hypothesis import strategies as st

# Few letters, so that drawn keys meet; the extremes of a byte, so that a signed or a
# zero-terminated comparison shows; lengths up to 3, so that keys are prefixes of others.
_LETTERS = b"\x00\x01ak\x7f\x80\xfe\xff"

short_keys = st.lists(st.sampled_from(_LETTERS), min_size=1, max_size=3).map(bytes)
"""1 to 3 bytes: likely to be drawn again."""

long_keys = st.builds(
    lambda letter, length: bytes([letter]) * length,
    st.sampled_from(_LETTERS),
    st.sampled_from([255, 256, 1024, 4095, 4096]),
)
"""Up to the longest that an engine takes."""

byte_keys = st.one_of(short_keys, short_keys, short_keys, long_keys)
"""A key of an engine, 1 to 4,096 bytes."""

key_bounds = st.one_of(st.just(b""), byte_keys, st.builds(lambda: b"\xff" * 4097))
"""An end of a range: also before the first key there can be, and after the last."""

byte_values = st.one_of(
    st.binary(max_size=8),
    st.builds(
        lambda letter, length: bytes([letter]) * length,
        st.integers(0, 255),
        st.sampled_from([100, 1_000, 10_000]),
    ),
)
"""A value of an engine; often empty or tiny, sometimes of the size of an item."""
