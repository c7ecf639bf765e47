"""A budget that interrupts a request at a place that a test names."""

import sys

from titm_rules.service.budget import Budget, Overrun

CALLS = frozenset({"call"})
EVERYWHERE = frozenset({"call", "return", "c_call", "c_return"})


class Interrupting(Budget):
    """Raises what the watch would raise, at the n-th event of the profiler in what is done within it; at none if 0."""

    def __init__(self, place, events=CALLS):
        super().__init__(3600, 0)
        vars(self).update(place=place, calls=0, events=events)

    def run(self, work):
        events, count, place = self.events, self.calls, self.place

        def look(_, event, __):
            nonlocal count
            if event in events:
                count += 1
                if count == place:
                    raise Overrun

        def watched():
            sys.setprofile(look)
            try:
                return work()
            finally:
                sys.setprofile(None)
                vars(self)["calls"] = count

        return super().run(watched)
