"""The papers' algorithms written for clarity: what benchmarks time and tests compare with.

Nothing here is clever. Each function follows the papers' description at their batch size, keeps full
states where they do, and turns autograd off where no gradient is wanted.
"""

# Documents in a batch (Jain & Wallace's released code, training and analyses alike).
BATCH_SIZE = 32
