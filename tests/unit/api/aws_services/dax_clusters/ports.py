"""Ports that do not listen, for the runner of clusters."""


class Port:
    """An open port, until it is stopped or dies."""

    def __init__(self, ports, port):
        self._ports = ports
        self.port = port
        self.listens = True
        self.connections = 0

    async def stop(self):
        self.listens = False
        if self._ports.open.get(self.port) is self:
            del self._ports.open[self.port]


class Ports:
    """The ports of a machine, some of which are taken by others."""

    def __init__(self, taken=()):
        self.open = {}
        self.taken = set(taken)
        self._next = 5000

    async def __call__(self, cluster, port):
        if port in self.taken or port in self.open:
            raise OSError("taken")
        if not port:
            self._next += 1
            port = self._next
        self.open[port] = Port(self, port)
        return self.open[port]


class StillClock:
    """Stands still until it is told."""

    def __init__(self, time_ms):
        self.time_ms = time_ms

    def now_ms(self):
        return self.time_ms

    def monotonic_ns(self):
        return self.time_ms * 1_000_000
