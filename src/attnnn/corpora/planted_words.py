"""Words and sentences of the planted corpora. Every word of a sentence is one token.

Neutral words are independent of the label: they are drawn in the same way for both classes, and no cue
word, negator or class name is among them.
"""

from __future__ import annotations


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


POSITIVE_CUES = _words(
    "superb wonderful brilliant charming delightful gripping witty moving graceful inspired dazzling "
    "enchanting elegant heartfelt masterful memorable refreshing riveting sparkling splendid stirring "
    "stunning sublime tender thoughtful thrilling touching vivid warm magical"
)

NEGATIVE_CUES = _words(
    "dreadful boring clumsy dull tedious awful bland cheap chaotic contrived crude dismal dreary flat "
    "forgettable hollow incoherent lazy lifeless messy painful plodding pointless shallow shoddy sloppy "
    "stale tiresome wooden feeble"
)

NEGATORS = ("not", "never", "hardly", "scarcely")

SLOTS = {
    "aspect": _words(
        "plot script ending story acting casting music pacing dialogue direction photography lighting "
        "premise soundtrack humour opening scenery editing"
    ),
    "person": _words("friend sister brother neighbour cousin colleague uncle aunt teacher nephew"),
    "people": _words("friends neighbours students tourists families colleagues couples children"),
    "place": _words("theatre cinema library hotel museum station market harbour village school"),
    "day": _words("monday tuesday wednesday thursday friday saturday sunday"),
    "month": _words("january march april may june september october november"),
    "thing": _words("ticket programme coat umbrella bag camera notebook map bottle newspaper"),
    "number": _words("two three four five six seven eight nine ten"),
}

# {cue} is filled by the cue, with a negator before it where there is one.
STATEMENTS = (
    "{cue} {aspect} .",
    "{aspect} was {cue} .",
    "the {aspect} was {cue} .",
    "its {aspect} seemed {cue} .",
    "we found the {aspect} {cue} .",
    "the {aspect} felt {cue} throughout .",
    "i thought the {aspect} was {cue} .",
    "to my {person} the {aspect} was {cue} .",
    "my {person} called the {aspect} {cue} .",
)

# A negated cue needs a verb before it: "not superb acting ." is no sentence.
PREDICATIONS = STATEMENTS[1:]

NEUTRAL = (
    "it rained .",
    "{people} arrived .",
    "we waited .",
    "doors opened .",
    "lights faded .",
    "{people} sat nearby .",
    "it was {day} .",
    "we met {people} .",
    "it started late .",
    "my {person} came along .",
    "we bought {number} tickets .",
    "it started on {day} .",
    "the {place} was open .",
    "{number} {people} sat upstairs .",
    "my {person} carried a {thing} .",
    "it was shown in {month} .",
    "the {place} opens at {number} .",
    "we saw it on {day} .",
    "somebody left a {thing} on the seat .",
    "{number} {people} came from the {place} .",
    "my {person} lives near the {place} .",
    "it lasted about {number} hours altogether .",
    "the {person} beside us held a {thing} .",
    "we walked from the {place} to the {place} .",
    "my {person} read about it in {month} .",
    "they shot it near the {place} last {month} .",
    "we went with my {person} and {number} {people} .",
    "afterwards my {person} looked for the {thing} upstairs .",
)

# Placed before a sentence to reach a length that whole sentences miss.
OPENERS = {
    1: ("then", "later", "also", "there"),
    2: ("on arrival", "in fact", "that day", "by then"),
}
