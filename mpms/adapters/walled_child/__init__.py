"""Child processes with limits for what strangers wrote, spoken to in frames of JSON.

Never pickle: the child has read a stranger's bytes, and its answer must not be able to
do more than be wrong.
"""

FRAME_HEAD_BYTES = 8


def frame_head(length: int) -> bytes:
    return length.to_bytes(FRAME_HEAD_BYTES, "big")
