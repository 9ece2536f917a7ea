"""What workers of others do with jobs: fetch, complete, fail, throw, lock.

They use the queue of our own handlers: the same rows, leases, incidents and history.
Only who works is another: a process that we do not run and that may vanish.
"""
