"""Knowing how much memory is left."""

from hypercone import _system


def test_the_least_of_machine_and_container_counts(monkeypatch):
    files = {
        "/proc/meminfo": "MemTotal: 9 kB\nMemAvailable:    2048 kB\n",
        "/sys/fs/cgroup/memory.max": "max\n",
        "/sys/fs/cgroup/memory.current": "77\n",
    }
    monkeypatch.setattr(_system, "_text", lambda path: files[path])
    assert _system.available_bytes() == 2048 * 1024
    files["/sys/fs/cgroup/memory.max"] = "1077"
    assert _system.available_bytes() == 1000
    files["/sys/fs/cgroup/memory.max"] = "7"
    assert _system.available_bytes() == 0


def test_a_system_that_does_not_say_is_assumed_to_have_some(monkeypatch):
    monkeypatch.setattr(_system, "_text", lambda path: "")
    monkeypatch.delattr(_system.os, "sysconf")
    assert _system.available_bytes() == _system.ASSUMED_BYTES
