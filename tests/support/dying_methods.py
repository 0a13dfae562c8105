"""Methods whose processes die, once or always."""

import os
import signal
import time

from odd_methods import Constant


class Once(Constant):
    """Does something the first time, and fits the second."""

    def __init__(self, path=""):
        self.path = path

    def fit(self, X, Y):
        if not os.path.exists(self.path):
            with open(self.path, "w"):
                pass
            self.first()
        return super().fit(X, Y)

    def first(self):
        os.kill(os.getpid(), signal.SIGKILL)


class OnceTerminated(Once):
    def first(self):
        os.kill(os.getpid(), signal.SIGTERM)


class OnceWithoutMemory(Once):
    def first(self):
        raise MemoryError("8 GiB")


class OnceWithAFullDisk(Once):
    def first(self):
        raise OSError(28, "No space left on device")


class OnceWrong(Once):
    def first(self):
        raise ValueError("wrong by itself")


class Orphaning(Constant):
    """Dies, and leaves a child behind that has its pipes."""

    def fit(self, X, Y):
        if os.fork() == 0:
            time.sleep(1000)
        os._exit(3)


class Daemon(Constant):
    """The same with a child in a session of its own."""

    def __init__(self, path=""):
        self.path = path

    def fit(self, X, Y):
        if (child := os.fork()) == 0:
            os.setsid()
            time.sleep(1000)
        with open(self.path, "w") as file:
            file.write(f"{child}")
        os._exit(3)
