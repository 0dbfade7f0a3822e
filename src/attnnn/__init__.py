"""May I read this model's attention weights as an explanation?

The rooms, in the order data goes through them: `corpora`, `models`, `importance`, `counterfactual`,
`publish`. The shared vocabulary: `config`, `design`, `layout`, `targets`, `ragged`, `store`, `measures`.
"""

__version__ = "0.1.0"
