"""Where work runs: processors, threads, device, memory, random generators."""

import os
import resource
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from icml.errors import InputError, ResourceError

if TYPE_CHECKING:
    import numpy as np

_NATIVE_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def available_cpus() -> int:
    """Processors this process may really use: the least of affinity, cgroup quota and SLURM_CPUS_PER_TASK."""
    counts = [len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1]
    quota = _cgroup_quota()
    if quota is not None:
        counts.append(max(1, int(quota)))
    slurm = os.environ.get("SLURM_CPUS_PER_TASK", "")
    if slurm.isdigit() and int(slurm) > 0:
        counts.append(int(slurm))
    return min(counts)


def _cgroup_quota() -> float | None:
    """CPUs granted by the cgroup (version 2, then 1), or None where there is no limit."""
    try:
        limit, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        return None if limit == "max" else int(limit) / int(period)
    except (OSError, ValueError):
        pass
    try:
        limit = Path("/sys/fs/cgroup/cpu/cpu.cfs_quota_us").read_text()
        period = Path("/sys/fs/cgroup/cpu/cpu.cfs_period_us").read_text()
        return None if int(limit) <= 0 else int(limit) / int(period)
    except (OSError, ValueError):
        return None


def resolve_threads(threads: int | None) -> int:
    """``threads`` if given, else ICML_THREADS, else the CPUs really available."""
    if threads is None:
        text = os.environ.get("ICML_THREADS", "")
        if not text:
            return available_cpus()
        if not text.isdigit():
            raise InputError(f"ICML_THREADS: expected a positive integer, got {text!r}")
        threads = int(text)
    if threads < 1:
        raise InputError(f"threads: expected a positive integer, got {threads}")
    return threads


def limit_native_threads(threads: int) -> None:
    """Keep BLAS and OpenMP to ``threads``, both those not yet loaded and those already in the process."""
    for name in _NATIVE_THREAD_VARIABLES:
        os.environ[name] = str(threads)
    if "numpy" in sys.modules or "torch" in sys.modules:
        import threadpoolctl

        threadpoolctl.threadpool_limits(threads)


def resolve_device(device: str) -> str:
    """``auto`` becomes ``cuda`` where a CUDA device is present, else ``cpu``; others are checked.

    Raises InputError for an unknown name and ResourceError where CUDA is asked for and is not there.
    torch is imported only if CUDA is asked for, or if ``auto`` finds an NVIDIA driver.
    """
    if device == "cpu":
        return device
    if device == "auto":
        if not Path("/proc/driver/nvidia/version").exists() and not Path("/dev/nvidia0").exists():
            return "cpu"
        return "cuda" if _cuda_count() > 0 else "cpu"
    name, _, index = device.partition(":")
    if name != "cuda" or (index and not index.isdigit()):
        raise InputError(f"device: expected auto, cpu, cuda or cuda:N, got {device!r}")
    if int(index or 0) >= _cuda_count():
        raise ResourceError(f"device: no {device} on this machine", hint="icml doctor lists what is here")
    return device


def _cuda_count() -> int:
    try:
        import torch
    except ImportError:
        return 0
    return torch.cuda.device_count() if torch.cuda.is_available() else 0


def generator(seed: int, *key: int) -> "np.random.Generator":
    """A generator that depends on ``seed`` and ``key`` only, never on the order in which work is done."""
    import numpy as np

    return np.random.Generator(np.random.Philox(np.random.SeedSequence(entropy=seed, spawn_key=key)))


def pool(threads: int) -> ThreadPoolExecutor:
    """Threads for kernels that release the GIL."""
    return ThreadPoolExecutor(max_workers=threads, thread_name_prefix="icml")


def peak_memory() -> int:
    """Peak resident memory of this process in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def available_memory() -> int:
    """Bytes that can be taken without swapping: the least of the machine's and the cgroup's."""
    candidates = []
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                candidates.append(int(line.split()[1]) * 1024)
    except OSError:
        pass
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text().strip()
        used = int(Path("/sys/fs/cgroup/memory.current").read_text())
        if limit != "max":
            candidates.append(max(0, int(limit) - used))
    except (OSError, ValueError):
        pass
    return min(candidates) if candidates else os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
