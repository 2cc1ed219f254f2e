"""Ten requests that compute and then wait, gathered in the order of their waits and in the reverse order."""

import asyncio
import time

REQUESTS = 10
WAITS = {
    "one long": [REQUESTS] + [0.5] * (REQUESTS - 1),  # one waits as long as all of them compute together
    "even": [REQUESTS - number for number in range(REQUESTS)],  # from 10 units down to 1
}


def compute(seconds):
    """Keep the CPU busy for so much of this thread's CPU time."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


async def request(wait, unit):
    """One unit of CPU, the wait, and a tenth of a unit of CPU."""
    compute(unit)
    await asyncio.sleep(wait * unit)
    compute(unit / 10)
    return wait


async def gathered(waits, unit):
    return await asyncio.gather(*(request(wait, unit) for wait in waits))


def prepare(waits, unit):
    """The waits in units, the longest first, and how long a unit is in seconds."""
    return WAITS[waits], unit


def longest_first(given):
    waits, unit = given
    return sorted(asyncio.run(gathered(waits, unit)))


def longest_last(given):
    waits, unit = given
    return sorted(asyncio.run(gathered(reversed(waits), unit)))
