"""Replacing a file so that there is, at every moment, either the whole old or the whole new one.

The new version is written beside the old one under a hidden name, flushed to the disk, read back
and checked before it takes the old one's name; the old version stays as ``.bak``. A run that is
killed leaves at most hidden files of fixed names, which the next run sweeps away.
"""

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from referee.match.faults import Unavailable

_NO_SPACE: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_READ_ONLY: Final = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_LONG_NAME: Final = 200
"""Bytes of a name from which a longer one made of it might not fit a folder, which takes 255."""


def read_file(path: Path, largest: int) -> bytes:
    """Read a whole file of at most ``largest`` bytes. Raises `Unavailable`."""
    name = path.name
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            raise Unavailable(f"{name} is a folder, not a file; name the file in it")
        if not stat.S_ISREG(found.st_mode):
            raise Unavailable(f"{name} is not a file that can be read and replaced")
        if found.st_size > largest:
            size = f"{found.st_size / 2**20:.0f} MB"
            raise Unavailable(f"{name} is too large ({size}) to be a match workbook")
        return path.read_bytes()
    except FileNotFoundError:
        raise Unavailable(f"{name} does not exist; check its name and folder") from None
    except PermissionError:
        raise Unavailable(f"{name} may not be read; ask for permission to read it") from None
    except (OSError, ValueError) as error:
        raise Unavailable(f"{name} cannot be read: {_reason(error)}") from None


def refuse_if_open(path: Path) -> None:
    """Raise `Unavailable` where Excel or LibreOffice says by a file beside it that it is open.

    Either would later save its own state over what is written now.
    """
    for place in {path, Path(os.path.realpath(path))}:
        for program, name in (
            ("Excel", f"~${place.name}"),
            ("LibreOffice", f".~lock.{place.name}#"),
        ):
            if _is_there(place.with_name(name)):
                raise Unavailable(
                    f"{path.name} is open in {program}: save and close it there, then run again "
                    f"(if it is not open, delete the file {name} beside it)"
                )


def _is_there(place: Path) -> bool:
    try:
        return place.exists()
    except OSError:
        return False


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep other runs away from a file for the length of a ``with``.

    The operating system holds the lock, so that it ends with the process, however that ends.
    Raises `Unavailable` where another run holds it or the folder takes no lock.
    """
    target = Path(os.path.realpath(path))
    place = _hidden_beside(target, "lock")
    try:
        descriptor = _taken(place)
    except BlockingIOError:
        raise Unavailable(
            f"another run of the referee is working on {path.name}; wait until it is done"
        ) from None
    except OSError as error:
        raise _unwritable(path, error) from None
    try:
        yield
    finally:
        _released(place, descriptor)


def _released(place: Path, descriptor: int) -> None:
    """Remove the side file, where the system allows it while it is still held."""
    try:
        if sys.platform != "win32":  # nobody can have taken a file that goes while it is held
            with suppress(OSError):
                place.unlink()
    finally:
        os.close(descriptor)
    if sys.platform == "win32":  # an open file cannot be removed there
        with suppress(OSError):
            place.unlink()


def _taken(place: Path) -> int:
    """Open and lock the side file; raises BlockingIOError where another run holds it."""
    while True:
        descriptor = os.open(place, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _lock(descriptor)
            # The run before may have removed the file between our opening and our locking it.
            if os.path.samestat(os.fstat(descriptor), place.stat()):
                return descriptor
        except FileNotFoundError:
            pass
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError from error

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def write_file(path: Path, new: bytes, *, keep_old: bool = True) -> None:
    """Write a file that the referee makes, whole or not at all, over an older one if there is one.

    ``keep_old`` leaves that one beside it as ``.bak``. Raises `Unavailable`.
    """
    with locked(path):
        if path.exists() and path.stat().st_size:
            old = read_file(path, 2**30)
            replace_file(path, old, new, lambda _: None, keep_old=keep_old)
        else:
            create_file(path, new)


def replace_file(
    path: Path,
    old: bytes,
    new: bytes,
    check: Callable[[bytes], None],
    *,
    keep_old: bool = True,
) -> None:
    """Put ``new`` in the place of ``old``, which stays beside it as ``.bak`` if it is kept.

    The caller holds the lock. What arrived on the disk is compared with what was sent, and
    ``check`` raises where it is not what was meant. A link is followed: the file it names is
    replaced. Raises `Unavailable`, with the old file as it was, where anything fails or where the
    file no longer holds ``old``.
    """
    target = Path(os.path.realpath(path))
    fresh, spare = _hidden_beside(target, "new"), _hidden_beside(target, "bak")
    try:
        _sweep(fresh, spare)
        mode = stat.S_IMODE(target.stat().st_mode)
        if not mode & 0o222 or not os.access(target, os.W_OK):
            raise Unavailable(f"{path.name} is read-only; make it writable and run again")
        _write_whole(fresh, new, mode)
        _check_arrived(path, fresh, new)
        check(new)
        if target.read_bytes() != old:
            raise changed_meanwhile(path)
        if keep_old:
            _keep(target, old, mode, spare)
        fresh.replace(target)
    except OSError as error:
        raise _unwritable(path, error) from None
    finally:
        _sweep(fresh, spare)
    _flush_folder(target.parent)


def _keep(target: Path, old: bytes, mode: int, spare: Path) -> None:
    """Give the old version its name for good."""
    try:
        os.link(target, spare)  # a second name for the old file costs nothing
    except OSError:
        _write_whole(spare, old, mode)
    spare.replace(target.with_name(f"{target.name}.bak"))


def create_file(path: Path, new: bytes) -> None:
    """Write a file that does not exist yet, or is empty, whole or not at all.

    The caller holds the lock. Raises `Unavailable` where it cannot be written or meanwhile exists.
    """
    target = Path(os.path.realpath(path))
    fresh, spare = _hidden_beside(target, "new"), _hidden_beside(target, "bak")
    try:
        _sweep(fresh, spare)
        _write_whole(fresh, new, None)
        _check_arrived(path, fresh, new)
        if target.exists() and target.stat().st_size:
            raise Unavailable(f"{path.name} exists already; give another name or remove it")
        fresh.replace(target)
    except OSError as error:
        raise _unwritable(path, error) from None
    finally:
        _sweep(fresh, spare)
    _flush_folder(target.parent)


def changed_meanwhile(path: Path) -> Unavailable:
    """Return what to say where somebody else saved the file since it was read."""
    return Unavailable(
        f"{path.name} was changed by somebody else while the referee was working on it; "
        "nothing was written: run again"
    )


def _hidden_beside(target: Path, purpose: str) -> Path:
    """Name a file of the referee's own beside another, after it where the name is not too long."""
    name, written = target.name, os.fsencode(target.name)
    if len(written) > _LONG_NAME:
        from hashlib import sha256

        name = sha256(written).hexdigest()
    return target.with_name(f".{name}.referee-{purpose}")


def _check_arrived(path: Path, fresh: Path, new: bytes) -> None:
    if fresh.read_bytes() != new:
        raise Unavailable(
            f"{path.name} cannot be written: the disk does not keep what is written to it; the old "
            "version is untouched"
        )


def _sweep(*places: Path) -> None:
    for place in places:
        with suppress(OSError):
            place.unlink()


def _write_whole(place: Path, content: bytes, mode: int | None) -> None:
    """Write a new file and wait until it has reached the disk; ``mode`` None is the usual one."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(place, flags, 0o600 if mode is not None else 0o666)
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        if mode is not None and hasattr(os, "fchmod"):
            os.fchmod(descriptor, mode)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _flush_folder(folder: Path) -> None:
    """Make the new name itself reach the disk, where the system knows of such a thing."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _unwritable(path: Path, error: OSError) -> Unavailable:
    folder = path.absolute().parent
    nothing = "; the old version is untouched"
    if error.errno in _NO_SPACE:
        return Unavailable(f"{path.name}: the disk is full, make room and run again{nothing}")
    if isinstance(error, FileNotFoundError):
        return Unavailable(f"{path.name} cannot be written: the folder {folder} is not there")
    if error.errno in _READ_ONLY:
        if sys.platform == "win32":
            return Unavailable(
                f"{path.name} is open in another program or read-only: close it and run again"
            )
        return Unavailable(
            f"{path.name} may not be written: its folder {folder} is read-only for you{nothing}"
        )
    reason = f"{_reason(error)}{_cause(path, error)}"
    return Unavailable(f"{path.name} cannot be written: {reason}{nothing}")


def _cause(path: Path, error: OSError) -> str:
    """Name the file that failed where it is another than the one meant, its ``.bak`` for one."""
    found = error.filename2 or error.filename
    name = Path(found).name if isinstance(found, str | os.PathLike) else path.name
    return "" if name == path.name else f" ({name})"


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
