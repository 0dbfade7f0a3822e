"""One file per verb: what it reads and writes, the settings it may see, and the function that does it.

A stage's function reads tables, calls a room that computes, and writes tables. Nothing slow is imported when
a stage is, only when it is done.
"""
