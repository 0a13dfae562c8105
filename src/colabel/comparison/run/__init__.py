"""The work: processes that fit and judge, a schedule, and a journal that outlives them."""
