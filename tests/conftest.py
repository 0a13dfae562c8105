"""Helpers of the tests are plain modules beside them."""

import signal

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # a suite that runs in the background hands this on to the programs that tests interrupt
    signal.signal(signal.SIGINT, signal.default_int_handler)
