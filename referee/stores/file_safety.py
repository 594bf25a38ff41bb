"""Replacing a file so that there is, at every moment, either the whole old or the whole new one.

The new version is written beside the old one under a hidden name, flushed to the disk, read back
and checked before it takes the old one's name; the old version stays as ``.bak``. A run that is
killed leaves at most hidden files of fixed names, which the next run sweeps away.
"""

import errno
import os
import shutil
import stat
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from referee.match.faults import Unavailable

_NO_SPACE: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_READ_ONLY: Final = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_LACKING: Final = frozenset(
    {errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL, errno.ENOLCK, errno.ENOTTY}
)
"""What shares and cloud folders answer to a call they do not know."""
_PATIENCE: Final = 0.2
"""Seconds to wait for another run that is just about to end."""
_SWAP: Final = 2
_HERE: Final = -100
"""How the system calls an exchange of names, and the folder that names are looked up from."""
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

    The operating system holds the lock, so that it ends with the process, however that ends; where
    a share or a cloud's folder knows no such locks, a file beside it says who works there. Raises
    `Unavailable` where another run holds it.
    """
    from filelock import FileLock, SoftFileLock, Timeout

    target = Path(os.path.realpath(path))
    place = _hidden_beside(target, "lock")
    lock: FileLock | SoftFileLock = FileLock(place, timeout=_PATIENCE, poll_interval=0.02)
    try:
        try:
            with warnings.catch_warnings():
                target.parent.stat()  # a folder that is missing is not to be made
                warnings.simplefilter("ignore")  # which kind of lock it is, is nobody's worry
                lock.acquire()
        except OSError as error:
            if error.errno not in _LACKING:
                raise
            place.unlink(missing_ok=True)  # it holds nobody off, and is no sign of a run either
            place = _hidden_beside(target, "mark")
            lock = SoftFileLock(place, timeout=_PATIENCE)
            lock.acquire()
    except Timeout:
        raise Unavailable(
            f"another run of the referee is working on {path.name}; wait until it is done"
        ) from None
    except OSError as error:
        raise _unwritable(path, error) from None
    try:
        _sweep(_hidden_beside(target, "new"), _hidden_beside(target, "bak"))
        yield
    finally:
        # While it is held nobody else can take it, and who waits for it looks again.
        with suppress(OSError):
            place.unlink()
        with suppress(OSError):
            lock.release()
        if sys.platform == "win32":  # an open file cannot be removed there
            with suppress(OSError):
                place.unlink()


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
) -> tuple[str, ...]:
    """Put ``new`` in the place of ``old``, which stays beside it as ``.bak`` if it is kept.

    The caller holds the lock. What arrived on the disk is compared with what was sent, and
    ``check`` raises where it is not what was meant. A link is followed: the file it names is
    replaced. What somebody saves at any moment of this stays: it is looked at once more after it
    lost its name, and put back. Returns what the host should know. Raises `Unavailable`, with the
    old file as it was, where anything fails or where the file no longer holds ``old``.
    """
    target = Path(os.path.realpath(path))
    fresh, spare = _hidden_beside(target, "new"), _hidden_beside(target, "bak")
    backup = target.with_name(f"{target.name}.bak")
    try:
        _sweep(fresh, spare)
        found = target.stat()
        if not found.st_mode & 0o222 or not os.access(target, os.W_OK):
            raise Unavailable(f"{path.name} is read-only; make it writable and run again")
        notes = _other_names(target, found, backup)
        _write_whole(fresh, new, target)
        _check_arrived(path, fresh, new)
        check(new)
        try:
            os.link(target, spare)  # a second name for the old file costs nothing
        except OSError:
            _write_whole(spare, old, target)
        if spare.read_bytes() != old or target.read_bytes() != old:
            raise changed_meanwhile(path)
        if keep_old:
            spare.replace(backup)
        _put(path, target, fresh, backup if keep_old else spare, old=old, new=new)
        if target.read_bytes() != new:
            raise Unavailable(
                f"{path.name} was saved by somebody else in the moment the referee wrote it; their "
                "version stands: run again"
            )
    except OSError as error:
        raise _unwritable(path, error) from None
    finally:
        _sweep(fresh, spare)
    _flush_folder(target.parent)
    return notes


def _put(path: Path, target: Path, fresh: Path, second: Path, *, old: bytes, new: bytes) -> None:
    """Give the fresh file its name, in exchange for whatever has it at that moment.

    ``second`` is another name of the old file, or a copy of it.
    """
    try:
        _exchange(fresh, target)
    except OSError as error:
        if error.errno not in _LACKING:
            raise
        _put_over(path, target, fresh, second, old)
        return
    try:
        theirs = fresh.read_bytes()
    except BaseException:
        _exchange(fresh, target)
        raise
    if theirs == old:
        return
    _exchange(fresh, target)
    if fresh.read_bytes() != new:  # and saved once more in between: the later version counts
        _exchange(fresh, target)
    raise changed_meanwhile(path)


def _put_over(path: Path, target: Path, fresh: Path, second: Path, old: bytes) -> None:
    """Do the same where names cannot be exchanged: what is saved at the last moment shows after.

    A program that saves into the file itself is found out by the second name of it; one that
    replaces it within this last step is not, which no other call of such a system could mend.
    """
    is_linked = second.stat().st_ino == target.stat().st_ino
    if not is_linked and target.read_bytes() != old:
        raise changed_meanwhile(path)
    fresh.replace(target)
    if is_linked and second.read_bytes() != old:
        os.link(second, fresh)
        fresh.replace(target)
        raise changed_meanwhile(path)


def _exchange(one: Path, other: Path) -> None:
    """Let two files swap their names in one step, which Python has no call for.

    Raises `OSError` where the system or the folder does not know it.
    """
    import ctypes

    lacking = OSError(errno.ENOSYS, "names cannot be exchanged")
    if sys.platform not in ("linux", "darwin"):
        raise lacking
    system = ctypes.CDLL(None, use_errno=True)
    names = os.fsencode(one), os.fsencode(other)
    try:
        if sys.platform == "darwin":
            failed = system.renamex_np(*names, _SWAP)
        else:
            failed = system.renameat2(_HERE, names[0], _HERE, names[1], _SWAP)
    except AttributeError:
        raise lacking from None
    if failed:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(one))


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
        if target.exists():
            _put(path, target, fresh, fresh, old=b"", new=new)
        else:
            _put_first(path, target, fresh)
    except OSError as error:
        raise _unwritable(path, error) from None
    finally:
        _sweep(fresh, spare)
    _flush_folder(target.parent)


def _put_first(path: Path, target: Path, fresh: Path) -> None:
    """Give a file a name that nobody has, and take it from nobody who took it meanwhile."""
    try:
        os.link(fresh, target)
    except FileExistsError:
        raise changed_meanwhile(path) from None
    except OSError:
        fresh.replace(target)


def _other_names(target: Path, found: os.stat_result, backup: Path) -> tuple[str, ...]:
    """Tell of further names a file has on its disk (hard links), which keep the old version."""
    others = found.st_nlink - 1
    with suppress(OSError):
        others -= os.path.samestat(found, backup.stat())  # left by a run that was killed
    if others < 1:
        return ()
    names = "one more name" if others == 1 else f"{others} more names"
    text = (
        f"{target.name} has {names} on this disk (hard links): what is opened by them stays the "
        "old version; link them anew"
    )
    return (text,)


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


def _write_whole(place: Path, content: bytes, like: Path | None) -> None:
    """Write a new file and wait until it has reached the disk.

    It gets the permissions, owner, group and extended attributes of the file it is ``like``, as
    far as the user and the folder can give them; None is a usual file of the user's.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(place, flags, 0o600 if like is not None else 0o666)
    try:
        if like is not None:
            _take_after(place, like)
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        try:
            os.fsync(descriptor)
        except OSError as error:
            if error.errno not in _LACKING:
                raise
    finally:
        os.close(descriptor)


def _take_after(place: Path, like: Path) -> None:
    found = like.stat()
    if hasattr(os, "chown"):
        for owner in ((found.st_uid, found.st_gid), (-1, found.st_gid)):
            with suppress(OSError):
                os.chown(place, *owner)
                break
    with suppress(OSError):
        shutil.copystat(like, place)


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
