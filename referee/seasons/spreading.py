"""Work on many things, one after the other or on several processors, told in the order given."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

_Item = TypeVar("_Item")
_Found = TypeVar("_Found")

_WAITING_PER_JOB = 4
"""So many things of work wait for each process: enough to keep it busy, and memory stays flat."""


def spread(work: Callable[[_Item], _Found], items: Iterable[_Item], jobs: int) -> Iterator[_Found]:
    """Yield what ``work`` makes of each item, in order, with ``jobs`` processes.

    No more than a few items are taken at a time, so that memory stays the same for any number.
    """
    if jobs == 1:
        yield from map(work, items)
        return
    from concurrent.futures import Future, ProcessPoolExecutor

    with ProcessPoolExecutor(jobs) as pool:
        waiting: deque[Future[_Found]] = deque()
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) > _WAITING_PER_JOB * jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def spread_on_cluster(
    work: Callable[[_Item], _Found], items: Iterable[_Item], address: str
) -> Iterator[_Found]:
    """Do as `spread` on a Dask cluster: ``address`` is its scheduler's, ``tcp://host:8786``.

    Raises `WrongUsage` where Dask is not installed and `Unavailable` where there is no scheduler.
    """
    from referee.match.faults import Unavailable, WrongUsage, visible

    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise WrongUsage(
            "--cluster needs one more package: pip install 'referee[cluster]'"
        ) from None
    try:
        client: Any = Client(address, timeout="5s")  # type: ignore[no-untyped-call]  # as it is
    except (OSError, ValueError, TimeoutError) as error:
        told = visible(" ".join(str(error).split())[:200])
        raise Unavailable(f"no Dask scheduler answers at {visible(address)} ({told})") from None
    with client:
        width = _WAITING_PER_JOB * max(sum(client.nthreads().values()), 1)
        source = iter(items)
        waiting = deque(client.submit(work, item, pure=False) for item in islice(source, width))
        while waiting:
            found = waiting.popleft()
            for item in islice(source, 1):
                waiting.append(client.submit(work, item, pure=False))
            yield found.result()


def batched(items: Iterable[_Item], size: int) -> Iterator[tuple[_Item, ...]]:
    """Yield the items in batches: one batch is one thing of work for another process."""
    source = iter(items)
    while batch := tuple(islice(source, size)):
        yield batch
