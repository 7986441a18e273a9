"""Ranges of independent blocks over threads, for kernels that release the GIL."""

import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait

from icml.runtime import pool

RangeFunction = Callable[[int, int], None]


class Ranges:
    """Runs ``work(lo, hi)`` over [0, count) in chunks on a pool of threads.

    Which thread takes which chunk does not matter to kernels that write to their own blocks only, so results do
    not depend on ``threads``. ``stop`` is asked between chunks: once true, no further chunk starts.
    """

    def __init__(self, threads: int, stop: Callable[[], bool] | None = None) -> None:
        self.threads = threads
        self.stop = stop
        self._pool = pool(threads) if threads > 1 else None

    def stopped(self) -> bool:
        return self.stop is not None and self.stop()

    def run(self, work: RangeFunction, count: int, chunk: int | None = None, *, deadline: float | None = None) -> bool:
        """Do all of [0, count); False if ``stop`` or ``deadline`` (``time.monotonic``) cut it short.

        ``chunk`` defaults to about 16 a thread.
        """
        step = max(1, chunk if chunk is not None else count // (16 * self.threads))
        running: set[Future[None]] = set()
        complete = True
        for lo in range(0, count, step):
            if self._pool is not None and len(running) >= 2 * self.threads:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()
            if self.stopped() or (deadline is not None and time.monotonic() >= deadline):
                complete = False
                break
            if self._pool is None or count <= step:
                work(lo, min(lo + step, count))
            else:
                running.add(self._pool.submit(work, lo, min(lo + step, count)))
        for future in running:
            future.result()
        return complete

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def __enter__(self) -> "Ranges":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
