"""May I read this model's attention weights as an explanation?

What is asked for is in `study`, what follows from it in `dag`. `stages` do it, by the rooms `corpora`,
`models`, `readout`, `importance`, `counterfactual` and `erasure`; `exhibits` show it.
"""

__version__ = "0.1.0"
