"""Three requests that compute, wait and compute again: as coroutines in two orders, and as threads."""

import asyncio
import threading
import time

WAITS = {"a": 5, "b": 3, "c": 1}


def compute(seconds):
    """Keep the CPU busy for so much of this thread's CPU time."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


async def request(name, unit):
    """One unit of CPU, the wait, and one unit of CPU."""
    compute(unit)
    await asyncio.sleep(WAITS[name] * unit)
    compute(unit)
    return name


def request_in_thread(name, unit):
    """The same, blocking."""
    compute(unit)
    time.sleep(WAITS[name] * unit)
    compute(unit)


async def gathered(order, unit):
    return await asyncio.gather(*(request(name, unit) for name in order))


def prepare(unit):
    """How long the article's second is here, in seconds."""
    return unit


def longest_wait_first(unit):
    return sorted(asyncio.run(gathered("abc", unit)))


def shortest_wait_first(unit):
    return sorted(asyncio.run(gathered("cba", unit)))


def threads(unit):
    started = [threading.Thread(target=request_in_thread, args=(name, unit)) for name in "abc"]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    return sorted("abc")
