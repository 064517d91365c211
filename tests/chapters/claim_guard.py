"""Claims about real data, and the printed comparisons that they refer to.

A sentence on real data needs a reference or a limit if it compares (a comparative, a superlative,
an equality, a cost, or that there is none) and names what is compared, be it a system or an
ordinary noun, or if such a thing does what its definition does not say. A limit says that the
sentence describes what is shown: "in this sample", "in this table", "of these users". A reference
is an HTML comment in a text cell, a comment in a code cell (for titles and alternative texts) or
in the module of an exercise (for answers).

    EASE has a higher NDCG@10 than item kNN. <!-- claim 1f3a: EASE > item kNN (NDCG@10) -->

The four digits belong to the words of the sentence, so a sentence that is changed loses its
reference until somebody has compared the two again: ``python -m tests.chapters.claim_guard`` prints
what is missing. A reference is one or several of these, joined by semicolons, and may begin with
the name of the chapter that prints the comparison:

    EASE > item kNN (NDCG@10)          the interval and the corrected p-value show it
    EASE > item kNN by 0.01 (NDCG@10)  the whole interval is beyond 0.01
    EASE ? item kNN (NDCG@10)          no difference detected: the interval includes 0, and p agrees
    EASE ~ item kNN (NDCG@10)          not established: only the interval excludes 0
    EASE = item kNN within 0.01 (…)    the whole interval lies within 0.01 of 0
    table: EASE > item kNN (coverage)  a description of this sample: a printed table has the numbers

Two that are equal, and what is said of nobody, everybody or always, need a reference in any case.
What compares no two things is left out by a rule (`MECHANICAL`), never sentence by sentence.
"""

from __future__ import annotations

import ast
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import yaml

from recsys_metrics.protocol.significance import Interval
from recsys_metrics.workbook.common.disclosure import ARROW
from recsys_metrics.workbook.experiments.comparison_table import ValueComparison

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = sorted((ROOT / "chapters").glob("[0-9]*.ipynb"))
WORKBOOK = ROOT / "recsys_metrics" / "workbook"
# A part's name says nothing about data.
ABOUT_REAL_DATA = re.compile(
    r"^(?!  part: ).*(?:movielens|open_bandit|shop_experiment|MovieLens|\bEASE\b)", re.MULTILINE
)


def is_about_real_data(path: Path) -> bool:
    """Say whether a file of exercises or of explorables, or the one beside it, loads real data."""
    both = [each for each in (path, path.with_suffix(".py")) if each.exists()]
    return path.stem == "guess" or any(ABOUT_REAL_DATA.search(f.read_text("utf-8")) for f in both)


# Files whose answers and explanations are about real data: exercises as data, and modules.
EXERCISES = sorted(
    path
    for folder in ("exercises", "explorables")
    for path in (WORKBOOK / folder).rglob("*.*")
    if path.suffix in {".py", ".yaml"} and is_about_real_data(path)
)
# What is offered, supposed or asked claims nothing: an option is often wrong on purpose.
ASKS = {"options", "beliefs", "prompt", "title", "question"}
# What says how a number of an exercise is computed, which mistake was made, or what an answer must
# have: only a sentence with the name of what is compared on real data claims something.
ABOUT_NUMBERS = {
    "asks",
    "cases",
    "cause",
    "criteria",
    "hints",
    "name",
    "steps",
    "template_answer",
    "wrong_answer",
}
DATA = re.compile(r"movielens|open_bandit|on_films|on_shop|on_data|MovieLens|\bEASE\b")

# Which of two is more, or that there is no difference.
DIRECTION = re.compile(
    r"""\b(
        ahead | behind | above | below | past\ (?=item|popularity|EASE|random)
      | better | best | worse | worst | higher | highest | lower | lowest | larger | largest
      | smaller | smallest | harder | easier | closer | closest | further | fewer | longer
      | shorter | stronger | weaker | more | most | less | least | superior | inferior
      | beats? | beaten | wins? | won | winner | leads? | outperforms? | dominates?
      | gains? | gained | profits? | loses? | lost | loss | rises? | falls? | drops?
      | improves? | improved | improvement | helps? | hurts? | costs? | exceeds?
      | equal | equally | the\ same\ as | as\ (?:good|accurate|novel|varied|diverse|well)
      | no\ (?:\w+\ )?difference | nothing | differs? | different
      | apart | comes?\ (?:last|first) | cannot\ be\ told | clearly | significant(?:ly)?
      | too\ (?:much|little|low|high|hopeful|bold)
      | doubles? | twice | halves?
    )\b""",
    re.VERBOSE | re.IGNORECASE,
)
# Words in -er and -est that compare nothing. Any other such word counts as a comparison.
ORDINARY = re.compile(
    r"""
    advertiser | after | another | answer | banner | barrier | blockbuster | bother | brier |
    buffer | center | centre | chapter | character | classifier | clever | computer | consider |
    consumer | container | corner | counter | cover | customer | deliver | differ | disaster |
    discover | earlier | either | encounter | enter | ever | filter | former | further | gather |
    harvest | helper | her | honest | however | infer | inner | inter | interest | invest | later
    | latest | latter | layer | leader | learner | letter | loader | manner | marker | master |
    matter | member | neither | never | newcomer | newsletter |
    number | occur | october | offer | order |
    other | outlier | over | owner | paper | parameter | per | player | pointer | power |
    practitioner | prefer | producer | proper | provider | quarter | ranker | rather | reader |
    receiver | recommender | refer | register | remember | request | rest | river | sampler |
    scatter | server | sliver | suffer | suggest | super | tester | test | thriller | together |
    trust | under | upper | user | viewer | visitor | weather | wander | whatever | whenever |
    wherever | whether | whichever | whoever | winter | wonder | writer
    """,
    re.VERBOSE,
)
COMPARATIVE = re.compile(r"(?<![-\w])[a-z]{2,}(?:er|est)(?![-\w])")
# Other ways to say that one is more than another, or that they are equal.
COMPARES = re.compile(
    r"""\b(
        than | as\ \w+(?:\ \w+){0,2}\ as | as\ (?:\w+\ )?(?:much|many|often|far)
      | out(?!come|put|side|er|line|lier|set|look|right)[a-z]{3,}
      | surpass\w* | tops | topped | trail(?:s|ed) | lag(?:s|ged)? | match(?:es)? | matched
      | rivals? | rivall?ed | edges?\ out | edged\ out | eclips\w+ | trumps? | overtak\w+ | overtook
      | catch(?:es)?\ up | caught\ up | keeps?\ (?:pace|up) | kept\ (?:pace|up) | second\ to\ none
      | com(?:es?|ing)\ (?:before|after|next) | prefers? | preferred
      | favou?rs? | favou?red | unbeat\w+ | unmatched | unrivall?ed | beyond
      | superiority | advantage | disadvantage | edge\ over | tie(?:s|d)?\ with | level\ with
      | suffer(?:s|ed)? | sacrific\w+ | benefits? | benefit(?:t?ed|t?ing) | harm(?:s|ed)? | unharmed
      | unaffected | unchanged | identical(?:ly)? | alike | equivalent | equals | on\ a\ par
      | increas(?:e|es|ed) | decreas(?:e|es|ed) | grows? | grew | shrinks? | shrank | rose | fell
      | reduc(?:e|es|ed) | tripl(?:e|es|ed) | doubled | halved | thrice | \w+\ times\ (?:as|the)
      | wors(?:en|ens|ened) | deteriorat\w+ | degrad\w+ | boost(?:s|ed)? | raises? | raised
      | keep(?:s|ing)?\ (?:its|their|all)\b | kept\ (?:its|their|all)
      | just\ as | the\ one\ to | no\ other | the\ only\ one
      | hardly\ (?:any\ )?(?:chang|differ|notice|matter|suffer)\w*
      | (?:would|will|do|does|did|has|have)\ (?:not|hardly|never|barely)\ (?:\w+\ )?
        (?:notice|feel|mind|miss|move|budge|chang|suffer|hurt|matter|grow|mov)\w*
      | fails? | failed | succeeds? | succeeded | survives? | survived
      | widen(?:s|ed) | narrow(?:s|ed) | delivers?
      | restores? | restored | repairs | repaired | fixes | removes?
      | removed | saves? | saved | rescues? | reaps? | rewards?
      | bargain | raw\ deal | on\ the\ cheap | expense\ of
      | holds?\ (?:its|their)\ own | had\ its\ day
      | (?:same|different)\ (?:league|story|class) | matter\ of\ taste | pick\ of | wealth\ of
      | (?:very|too|so)\ little | little\ to | (?-i:with\ ease)
      | (?:well|badly|poorly)\ (?:served|off)
      | gets?\ (?:\w+\ ){1,2}(?:right|wrong)
      | the\ same\ (?:number|share|amount|quality|accuracy|value|hits|ndcg|recall|precision)
      | untouched | intact | immune | unscathed | undiminished | spared
      | pays?\ for\ itself | gap\ between | no\ gap
      | compared\ (?:with|to) | relative\ to | unlike | in\ contrast | versus | differently
      | enough | plenty | sufficient | suffic\w+ | affordable | hardly\ an?
      | part\ company | good\ hands
      | do(?:es)?\ the\ job | enjoys? | repay\w* | flourish\w* | the\ right\ (?:one|choice)
      | (?:are|is)\ (?:all\ )?kept | twins | dead\ heat | gulf | short-chang\w+
      | useless | fair\ share | crowd(?:s|ed)?\ out
      | helped | hurt | harmed | pleas(?:e|es|ed) | displac\w+ | comes?\ close
      | disappoint\w* | shines? | excels? | struggl\w+ | thriv\w+ | cures? | heals?
      | makes?\ (?:little|no)\ \w+ | neck\ and\ neck | head\ and\ shoulders | hold\ a\ candle
      | lion's\ share | in\ a\ class | night\ and\ day | hands\ down
      | by\ a\ mile | a\ gift
      | leav(?:es?|ing)\ (?:\w+\ ){1,3}(?:behind|standing) | left\ (?:behind|standing)
      | to\ choose\ between
      | free\ of\ (?:charge|cost) | for\ (?:free|nothing) | (?:is|are|comes?)\ free
      | (?:at|with)\ no\ (?:\w+\ )?(?:cost|costs|price|loss|harm|expense|penalty|sacrifice)
      | no\ (?:\w+\ )?(?:price|loss|harm|penalty)
      | without\ (?:\w+\ )?(?:loss|losing|costs?|costing|price|harm|penalty|sacrific\w+)
    )\b""",
    re.VERBOSE | re.IGNORECASE,
)
# What may be compared, whether or not it has a name.
NOUN = re.compile(
    r"""\b(
        lists? | tails? | heads? | films? | items? |
        products? | catalogues? | users? | people | persons?
      | nobody | everybody | everyone | no\ one | anybody | anyone | viewers? | readers? | visitors?
      | customers? | critics? | fans | newcomers? | women | men | readings? | approach(?:es)?
      | models? | recommenders? | rankers? | systems? | baselines? | methods? | algorithms?
      | maps? | polic(?:y|ies) | estimat(?:e|or)s? | predictions? | corrections? | neighbours?
      | campaigns? | orders? | rankings? | promises? | badges? | ratings?
      | accuracy | novelty | diversity | coverage | recall | NDCG
      | places? | slots? | ranks? | positions? | groups? | genres?
      | (?:the\ )?(?:first|second|third|fourth|last|others?|former|latter)
      | (?:the|this|that|each|which|no|any|another)\ one
      | (?:the\ two|these\ (?:two|three)) | it | they | both
    )\b""",
    re.VERBOSE | re.IGNORECASE,
)
# What is compared on real data; the names of a chapter's own comparisons count as well.
SYSTEMS = re.compile(
    r"""\b(
        EASE | item\ kNN | kNN | (?:all-time\ |two-year\ )?popularity(?='s|\ |\.|,|;|:|$) | random
      | today(?:'s)?\ (?:list|lists|recommender|system|model) | the\ launch
      | Thompson\ sampling | (?:random|learned|logging|uniform)\ policy
      | policy\ that\ (?:has\ |had\ )?learn
      | Platt | isotonic | temperature | beta | base\ rate
      | (?:film|one\ number)\ (?:and|\+)\ (?:person|habit)
      | newcomers | well[-\ ]known\ (?:users|people) | women | men
    )""",
    re.VERBOSE | re.IGNORECASE,
)
# Words that conclude, whatever they are about.
CONCLUDES = re.compile(
    r"""\b(
        (?:whatever|whichever|every|no)\ (?:\w+\ )?
        (?:model|recommender|ranker|system|method|algorithm|policy|estimator)
      | (?:whatever|whoever)\ (?:is\ )?(?:learns|trained|recommends|ranks|rates|clicks)
      | significan(?:t|tly|ce) | no\ (?:clear\ |real\ )?difference | proves? | proved | proven
      | cannot\ be\ told\ apart
      | (?:these|the)\ (?:users|people)\ (?:do\ not\ |all\ )?(?:show|prefer)
      | (?:holds|true|works)\ for\ (?:all|every|any|new) | every\ (?:user|person)\ (?:gains|prefers)
      | other\ (?:users|people)\ would | undoubtedly | beyond\ doubt | guarantees?
      | always\ (?:better|worse)
      # That nothing has changed is a conclusion, too, and seldom names the two.
      | as\ (?:good|well|accurate|novel|varied|diverse)\ as\ before | no\ (?:better|worse)
      | (?:makes|made)\ no\ difference | does\ not\ matter | (?:costs|gains|changes)\ nothing
      | (?:los(?:es?|ing)|lost|pa(?:ys?|id))\ nothing | nothing\ is\ (?:lost|given\ up|sacrificed)
      | (?:pays|paid)\ off | for\ free | free\ of\ (?:charge|cost) | nothing\ to\ lose
      | indistinguishable | interchangeable
    )\b""",
    re.VERBOSE | re.IGNORECASE,
)
# Two that are equal: even one sample does not show that.
EQUAL = re.compile(
    r"\b(?:as (?:good|well|accurate|novel|varied|diverse) as|(?:is|are|stay|draw) level|on a par|"
    r"neck and neck|equally)\b",
    re.IGNORECASE,
)
# What tells somebody to do something, supposes or asks claims nothing; nor does a definition.
QUESTION = re.compile(r"[?:]$|^\W*$")
NO_CLAIM = re.compile(
    r"""^\W*(?:
        (?:Take|Call|Give|Ask|Suppose|Pull|Resample|Split|Drag|Reserve|Read|Compare|Look|Draw|Count
         |Change|Add|Choose|Compute|Find|Use|Say|Name|Set|Let|Keep|Move|Press|Now|If|To|Why|Which|How
         |Whether|Imagine|Measure|Think|Subtract|Score|Remember|See|Try|Report|Print|Write|Show|Sort|Rank)\b
         (?!\ (?:\d|one\ is|two\ is|three\ is|is\ |of\ ))
      | \*[^*]+\*\ (?:says|means|is)\b
      | After\ this\ (?:part|chapter)\ you\ can\b
        )""",
    re.VERBOSE,
)
# Where a clause begins that says something of its own, after what is to be done or supposed.
CLAUSE = re.compile(r"[:;] |,? because |, (?:since|as|but|for|and so|so)(?! that) ")
# A sentence that says that it describes what is shown does not speak of other users.
DESCRIBES = re.compile(
    r"\b(?:in|on|of|for|by|among) (?:this|these|the) (?:sample|table|figure|picture|one user|"
    r"\d+ users|\d+ people|test users|simulation)s?\b|\bhere\b(?!,? (?:and|too))|"
    r"(?<!nor )(?<!not )\b(?:in|on|of|for|by|among) (?:this|these) "
    r"(?:draw|list|user|people|person|film|rating|event|log|run|click)s?\b",
    re.IGNORECASE,
)
CAUSE = re.compile(
    r"""\b(
        because | since(?!\ \d) | due\ to | thanks\ to | owing\ to | caused? | causes
      | th(?:ose|e\ \w+)\ whose | comes?\ from | stems?\ from | that\ is\ why | explains?
      | the\ reason | what\ (?:puts|makes|keeps|brings|drives)
    )\b""",
    re.VERBOSE | re.IGNORECASE,
)
# What is said of all, or of another place too, is not limited to what is shown.
UNLIMITED = re.compile(
    r"\b(?:nobody|no one|nothing|never|always|every|everyone|everybody|here,? (?:as well|too)"
    r"|(?:other|new|future|later) (?:users|people|readers)|elsewhere|in general"
    r"|free(?! of)|for nothing|pays?|paid)\b",
    re.IGNORECASE,
)
# What a thing does by its definition, and other words that end like a verb. That it does anything
# else (suffices, deserves, collapses) is a claim of its own.
NEUTRAL = re.compile(
    r"""
    across | adds | afterwards | always | answers | as | begins | bias | campaigns | comes |
    comparisons | contains | counts | decides | depends | displays | divides | does | draws | ends
    | excludes | films | gets | gives | goes | has | his | holds | includes | is | items | its |
    knows | leaks | learns | leaves | less | lies | listens | lists | makes | means | measures |
    minus | models | moments | needs | people's | plus | predicts | promises | propensities | puts
    | ranks | ratings | reaches | reads | recommenders | recommends | results | rounds | runs |
    says | scores | series | shows | slots | speaks | stands | starts | supposes | systems | takes
    | thinks | this | thus | times | towards | tunes | unless | upwards | us | users | uses |
    values | was | ways | weighs | whereas | years
    """,
    re.VERBOSE,
)
SUBJECT = (
    r"EASE|kNN|[Pp]opularity|[Rr]andom|Platt|[Ii]sotonic(?: regression)?|[Tt]hompson sampling"
    r"|[Tt]emperature(?: scaling)?|launch|list|tail|head|film|catalogue|user|person|group|model"
    r"|recommender|ranker|system|baseline|method|map|policy|estimate|estimator|prediction|correction"
    r"|place|slot|rank|genre|window|badge|campaign|ranking|order|[Rr]ecall|[Aa]ccuracy|[Cc]overage"
    r"|[Dd]iversity|[Nn]ovelty|[Nn]obody|[Ee]verybody|[Ee]veryone|[Aa]nybody|[Aa]nyone|[Ii]t|one"
)
ACTS = re.compile(
    rf"\b(?:{SUBJECT})(?:'s \w+)?(?: (?:for|of) the \w+(?: \w+)?)?"
    r"(?: (?:also|still|now|even|just|only|\w+ly))? ([a-z]+s)(?![\w'])"
)
# What compares no two things: how ties are broken, counts and shares, the names of quantities and
# of sets that a rule defines, places on the page, and cautions that nothing is said or decided.
COUNT = r"""(?:\d[\d.,]*%?|half|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve
    |(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty
    |hundreds?|thousands?|dozens?|few|couple|tenth|quarter|third|fifth)"""
MECHANICAL = re.compile(
    rf"""
        \b(?:lower|smaller)\ (?:film\ |item\ )?(?:number|id)s?\b
      | \bequal\ (?:score|prediction|rating)s?\b
      | \b(?:more|fewer|less)\ than\ {COUNT}(?:[ -](?:and\ )?{COUNT})*\b(?!\ (?:as|times)\b)
      | \bat\ (?:least|most)\ {COUNT}\b
      | (?<!the\ )\bmost(?=\ (?:of|are|lie|(?:tested\ )?(?:users|people|films|events|tests))\b)
      | \bmost\ (?:popular|liked|rated|clicked)\b
      | \b(?:highest\ (?:score|prediction)s?|nearest\ neighbours?|(?:ten|fifty)\ best)\b
      | \b(?:the|this|that|which|each|mean|true)\ (?:mean\ |true\ )?
        (?:gain|loss|difference|improvement)s?\b
      | \bsmallest\ (?:gain|effect|difference|loss)\b
      | ^Above, | \b(?:exercise|chapter|part|section|table|figure|picture)s?\ (?:above|below)\b
      | \b(?:one|once|no|any)\ more\b(?!\ \w+\ than)
      | \bor\ (?:more|fewer|less)\b
      | \b{COUNT}\ (?:best|worst|[a-z]+est)\b
      | \b(?:keep|take|choose|pick|report)s?\ the\ best\b
      | \bas\ well\b(?!\ as\b) | \bbeyond\ accuracy\b
      | \bwinner's\ curse\b | \b(?:years|days|weeks)\ apart\b
      | \b(?:another\ \w+|other|rather)\ than\b
      | \b(?:is|are|was|were)\ (?:later|earlier)\ than\b
      | \bdo(?:es)?\ not\ (?:mean|say|imply|prove)\b[^.;:]*
      | \bequally\ popular\ (?:films|products)\b
      | \b(?:sa(?:y|id)|decid|prov|know|test|mean|settl|tell|hid)\w*\ (?:next\ to\ )?nothing\b
      | \b(?:lower|upper)\ (?:limit|end|bound)s?\b
      | \bas\ (?:much|many|often|far)\ as\ (?:possible|you\b)
    """,
    re.VERBOSE | re.IGNORECASE,
)
# Functions that bring real data.
LOADERS = re.compile(r"^(load_|movielens_|fetch_|shop_)")
# Lines of code inside a text.
CODE = re.compile(r"^\s*(?:from|import|return|for|print)\b|^\s*\w+(?:, \w+)* = |^`|^- `")
REFERENCE = re.compile(r"(?:<!--|#) claim ([0-9a-f]{4}): (.*?)(?: -->|$)", re.MULTILINE)


# Sentences --------------------------------------------------------------------------------------


def split(text: str) -> list[str]:
    """Return the sentences of a line."""
    return [part for part in re.split(r"(?<=[.!?])\s+(?=[\"(*A-Z0-9])", text.strip()) if part]


def digest(sentence: str) -> str:
    """Return four digits that belong to the words and numbers of a sentence."""
    plain = re.sub(r"\]\([^)]*\)", "]", sentence)
    words = re.findall(r"[^\W_]+(?:\.\d+)?|[<>≥≤=±−-]\d", plain.lower())
    return f"{zlib.crc32(' '.join(words).encode()) & 0xFFFF:04x}"


def is_claim(sentence: str, names: Sequence[str] = (), nouns: re.Pattern[str] = NOUN) -> bool:
    """Say whether a sentence about real data needs a reference."""
    if QUESTION.search(sentence):
        return False
    sentence = re.sub(r"\]\([^)]*\)", "]", sentence)
    if NO_CLAIM.search(sentence):
        first = re.match(r"\W*(Now|If|To)\b", sentence)
        at = re.compile(rf"{CLAUSE.pattern}|, |^\W*Now ") if first else CLAUSE
        clauses = [re.sub("^(?:and|so|then) ", "", part) for part in at.split(sentence)[1:]]
        return any(is_claim(part[:1].upper() + part[1:], names, nouns) for part in clauses)
    if CONCLUDES.search(sentence):
        return True
    described = DESCRIBES.search(sentence) and not UNLIMITED.search(sentence)
    # A table describes what happened, and no cause of it.
    described = described and not CAUSE.search(sentence)
    lower = sentence.lower()
    if SYSTEMS.search(sentence) or any(name.lower() in lower for name in names):
        if EQUAL.search(sentence) or (DIRECTION.search(sentence) and not described):
            return True
        if re.search(r"\bthe reason\b", lower):
            return True
    elif not nouns.search(sentence):
        return False
    return not described and compares(MECHANICAL.sub(" ", sentence))


def compares(sentence: str) -> bool:
    """Say whether a sentence has a comparative or another word that compares or judges."""
    words = COMPARATIVE.findall(sentence[:1].lower() + sentence[1:])
    return bool(
        any(not ORDINARY.fullmatch(word) for word in words)
        or COMPARES.search(sentence)
        or DIRECTION.search(sentence)
        or any(not NEUTRAL.fullmatch(verb) for verb in ACTS.findall(sentence))
    )


def sentences_of_text(source: str) -> Iterator[str]:
    """Yield the sentences of a text cell, without comments; pitfalls are about all data."""
    source = re.sub(r"<!--.*?-->", "", source, flags=re.DOTALL)
    for line in source.splitlines():
        line = re.sub(r"</?(details|summary)>|<span.*?</span>", "", line.replace(ARROW, ""))
        line = re.sub(r"^\s*(#{1,6} |- |\d+\. )", "", line).strip()
        if line and not line.startswith((">", "|", "```")):
            yield from split(line)


def sentences_of_figures(source: str) -> Iterator[str]:
    """Yield what figures of a code cell say: their titles and their alternative texts."""
    for node in ast.walk(ast.parse(without_magics(source))):
        if isinstance(node, ast.keyword) and node.arg in {"title", "alt"}:
            yield from sentences_of_value(node.value)


def sentences_of_value(value: ast.AST) -> Iterator[str]:
    """Yield the sentences of a string, or of the constant parts of an f-string."""
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        # Lines of a paragraph are one text; a text in code is broken where the line is full.
        for paragraph in re.split(r"\n\s*\n", value.value):
            yield from split(" ".join(paragraph.split()))
    elif isinstance(value, ast.JoinedStr):
        text = "".join(
            part.value if isinstance(part, ast.Constant) else "…" for part in value.values
        )
        yield from split(text)


def without_magics(source: str) -> str:
    """Return a cell without what only IPython understands."""
    return "\n".join(line for line in source.splitlines() if not line.startswith(("%", "!")))


# Chapters ---------------------------------------------------------------------------------------


@dataclass
class Place:
    """Sentences, and the references next to them: a cell, or a module of exercises."""

    where: str
    sentences: list[str]
    references: list[tuple[str, str]]
    is_real: bool = False
    about_numbers: frozenset[str] = frozenset()


@dataclass
class Section:
    """What stands between two headings."""

    level: int
    heading: str = ""
    has_code: bool = False
    is_real: bool = False
    places: list[Place] = field(default_factory=list)


# Sections that sum a chapter up. What goes wrong and what is recalled is about all data.
CLOSING = {"Summary", "Next"}


def uses(source: str, real: set[str]) -> bool:
    """Say whether a cell reads real data, and note which names hold some from here on."""
    found = False
    for statement in ast.parse(without_magics(source)).body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            continue
        nodes = list(ast.walk(statement))
        # Names of loops and parameters are not those of the cell.
        own = {name for node in nodes for name in _own(node)}
        names = [node for node in nodes if isinstance(node, ast.Name)]
        bound = {node.id for node in names if isinstance(node.ctx, ast.Store)} - own
        read = {node.id for node in names if isinstance(node.ctx, ast.Load)} - own
        if isinstance(statement, ast.AugAssign):
            read |= bound
        if isinstance(statement, ast.FunctionDef):
            bound = {statement.name}
        if any(LOADERS.match(name) or name in real for name in read):
            found = True
            real |= bound
        else:
            real -= bound
    return found


def _own(node: ast.AST) -> set[str]:
    if isinstance(node, ast.arguments):
        return {each.arg for each in (*node.posonlyargs, *node.args, *node.kwonlyargs)}
    if isinstance(node, ast.FunctionDef):
        inner = [part for each in node.body for part in ast.walk(each)]
    elif isinstance(node, ast.comprehension | ast.For):
        inner = list(ast.walk(node.target))
    else:
        return set()
    return {
        each.id for each in inner if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }


def read_cells(path: Path) -> list[Any]:
    """Return the cells of a notebook that a page shows."""
    cells = nbformat.read(path, as_version=4).cells
    return [cell for cell in cells if "remove-cell" not in cell.metadata.get("tags", ())]


def read_places(cells: Sequence[Any]) -> list[Place]:
    """Return what the cells of a chapter say, and whether it is about real data."""
    sections, real = [Section(0)], set[str]()
    for number, cell in enumerate(cells, 1):
        references = REFERENCE.findall(cell.source)
        if cell.cell_type == "code":
            sections[-1].has_code = True
            sections[-1].is_real |= uses(cell.source, real)
            said = list(sentences_of_figures(cell.source))
            sections[-1].places.append(Place(f"cell {number}", said, references))
            continue
        for part in re.split(r"^(?=#{1,6} )", cell.source, flags=re.MULTILINE):
            if heading := re.match(r"(#{1,6}) (.*)", part):
                sections.append(Section(len(heading[1]), heading[2].strip()))
            there = [*sentences_of_text(part)]
            if sections[-1].level < 2:
                # What a chapter teaches is a list of verbs.
                there = [one for one in there if not one[0].islower()]
            sections[-1].places.append(Place(f"cell {number}", there, REFERENCE.findall(part)))
    with_code = [section for section in sections if section.has_code]
    on_data = sum(section.is_real for section in with_code)
    for before, section in pairwise(sections):
        # Words alone go on about the data of the section before them; what opens or closes a
        # chapter is about its data, and where that is little, only what names a system.
        goes_on = not section.has_code and section.level > 2 and before.is_real
        outside = section.level < 2 or section.heading in CLOSING
        if outside and not section.is_real and on_data <= len(with_code) / 2:
            for place in section.places:
                place.sentences = [one for one in place.sentences if SYSTEMS.search(one)]
        section.is_real |= goes_on or (outside and on_data > 0)
    for section in sections:
        for place in section.places:
            place.is_real = section.is_real
    return [place for section in sections for place in section.places]


def read_module(path: Path) -> Place:
    """Return what the texts of a module of exercises or of explorables say."""
    where = str(path.relative_to(ROOT))
    source = path.read_text("utf-8")
    source = as_module(source, path.with_suffix(".py")) if path.suffix == ".yaml" else source
    return read_source(source, where, is_real=path.stem == "guess")


def as_module(text: str, beside: Path) -> str:
    """Return exercises that are data as the module that would declare them, with its comments."""
    code = beside.read_text("utf-8") if beside.exists() else ""
    imports = [ast.unparse(one) for one in ast.parse(code).body if isinstance(one, ast.ImportFrom)]
    declared = [
        f"{name} = {_as_call(entry)}" for name, entry in (yaml.safe_load(text) or {}).items()
    ]
    comments = [line.strip() for line in text.splitlines() if line.strip().startswith("#")]
    return "\n".join([*imports, *declared, *comments])


# Names, and code of Python: no sentences.
NO_SENTENCES = {"part", "code", "swap", "fill", "function", "variants"}


def _as_call(value: Any, *, named: bool = True) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_as_call, value))}]"
    if not isinstance(value, dict):
        return repr(value)
    # Options and mistakes have ids, and all else the names of fields.
    parts = (
        f"{FIELDS.get(key, key) if named else f'of_{number}'}="
        f"{_as_call(each, named=key not in BY_ID)}"
        for number, (key, each) in enumerate(value.items())
        if key not in NO_SENTENCES
    )
    return f"dict({', '.join(parts)})"


# What a field of the data is called in Python.
FIELDS = {"solution": "steps"}
BY_ID = {"asks", "beliefs", "follows", "inputs", "lines", "mistakes", "options", "reasons", "swap"}


def read_source(source: str, where: str, *, is_real: bool = False) -> Place:
    """Return what the texts of a module say; all of it is about data if it imports some."""
    tree = ast.parse(source)
    skipped = _below(tree, ASKS)
    skipped |= {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    skipped |= {id(part) for one in tree.body if _asks(one) for part in ast.walk(one)}
    of_steps, said, about_numbers = _below(tree, ABOUT_NUMBERS), [], set[str]()
    if not is_real and not _imports_data(tree):
        of_steps |= {id(part) for one in tree.body if _is_invented(one) for part in ast.walk(one)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant | ast.JoinedStr) or id(node) in skipped:
            continue
        there = [one for one in sentences_of_value(node) if _is_prose(one)]
        said += there
        # A label begins with a small letter.
        about_numbers |= {one for one in there if id(node) in of_steps or one[0].islower()}
    references = REFERENCE.findall(source)
    return Place(where, list(dict.fromkeys(said)), references, True, frozenset(about_numbers))


def _imports_data(tree: ast.Module) -> bool:
    return any(
        DATA.search(f"{node.module}.{alias.name}")
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    )


def _asks(statement: ast.stmt) -> bool:
    """Say whether a statement makes what an exercise asks, `_two_areas_prompt` for instance."""
    names = [getattr(statement, "name", "")]
    if isinstance(statement, ast.Assign):
        names = [one.id for one in statement.targets if isinstance(one, ast.Name)]
    return any(name.rpartition("_")[2] in ASKS for name in names)


def _is_invented(statement: ast.stmt) -> bool:
    """Say whether an exercise of a module without real data names none, either."""
    return not DATA.search(ast.unparse(statement))


def _below(tree: ast.AST, keywords: set[str]) -> set[int]:
    """Return the nodes in the values of keywords."""
    return {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.keyword) and node.arg in keywords
        for part in ast.walk(node.value)
    }


def _is_prose(sentence: str) -> bool:
    return len(sentence.split()) > 3 and not CODE.search(sentence)


# What is printed --------------------------------------------------------------------------------

NUMBER = r"-?\d+(?:\.\d+)?"
LINE = re.compile(
    rf"(?P<a>\S.*?) - (?P<b>\S.*?)(?: \((?P<measure>\S+|[^()]*)\))?: "
    rf"(?P<value>{NUMBER}) \[(?P<low>{NUMBER}), (?P<high>{NUMBER})\](?: \((?P<level>[\d.]+)%\))?"
    rf"(?:, p (?P<p>[=<] [\d.]+))?(?:, Holm (?P<holm>[=<] [\d.]+))?: "
    r"(?P<result>CI excludes 0(?:, (?:corrected )?p ≥ [\d.]+)?|CI includes 0|too few \w+)"
)
INTERVAL = rf"\[({NUMBER}), ({NUMBER})\]"
AGAINST = re.compile(rf"(\S+?(?:, \S+)?) .* ([+-]?[\d.]+) +{INTERVAL} +(?:< )?([\d.]+)?")
BY_GROUP = re.compile(rf"(\S+) +(-?[\d.]+) \[.*?\] +(-?[\d.]+) \[.*?\] +([\d.]+) +{INTERVAL}")


def _p(text: str | None) -> float:
    return np.nan if text is None else float(text[2:])


def read_line(line: str) -> Iterator[ValueComparison]:
    """Yield the comparisons that a line of output holds, as they print themselves."""
    # In a table other columns stand before it, in a list other entries.
    ends = r"(?<=CI includes 0), |(?<=CI excludes 0), (?!corrected|p ≥)|(?<=0\.05), "
    for part in re.split(rf"\s{{2,}}|^\[|{ends}", line.strip()):
        if match := LINE.match(part):
            found = ValueComparison(
                (match["a"], match["b"]),
                Interval(
                    float(match["value"]),
                    float(match["low"]),
                    float(match["high"]),
                    float(match["level"] or 95) / 100,
                    0 if match["result"].startswith("too few") else 20,
                ),
                _p(match["p"]),
                measure=match["measure"] or "",
                p_adjusted=_p(match["holm"]),
            )
            yield found


def read_report(text: str) -> Iterator[ValueComparison]:
    """Yield what a table of `compare` holds, also by group, or of `Report.by` with two groups."""
    first, _, rest = text.partition("\n")
    if names := re.fullmatch(r"(.+) against (.+?)(?: by group)?", first):
        for row in rest.splitlines():
            if match := AGAINST.match(row):
                value, low, high = map(float, match.groups()[1:4])
                p = float(match[5]) if match[5] else np.nan
                interval = Interval(value, low, high, 0.95, 20)
                yield ValueComparison(
                    (names[1], names[2]), interval, p, measure=match[1], p_adjusted=p
                )
    if first.startswith("By ") and (
        groups := re.search(r"^Metric +(\S.*?) \([\d,]+\) +(\S.*?) \([\d,]+\) +Gap", rest, re.M)
    ):
        for row in rest.splitlines():
            if match := BY_GROUP.match(row):
                one, other, gap, low, high = map(float, match.groups()[1:])
                names = (groups[1], groups[2]) if one > other else (groups[2], groups[1])
                yield ValueComparison(names, Interval(gap, low, high, 0.95, 20), measure=match[1])


@dataclass
class Printed:
    """What the outputs of a chapter hold: comparisons, and the numbers of its tables."""

    comparisons: list[ValueComparison]
    tables: list[list[list[str]]]

    @property
    def names(self) -> list[str]:
        """The names of what is compared, but for those that are ordinary words or numbers."""
        named = {name for one in self.comparisons for name in one.names}
        ordinary = {
            "few",
            "many",
            "new",
            "regular",
            "all",
            "others",
            "predicted",
            "observed",
            "A",
            "B",
            "0",
            "the last",
        }
        return sorted(name for name in named - ordinary if not re.fullmatch(r"[\d.]+", name))


def read_printed(cells: Sequence[Any]) -> Printed:
    """Return what the outputs of a notebook hold."""
    printed = Printed([], [])
    for cell in cells:
        for output in cell.get("outputs", []):
            text = output.get("text", "") or output.get("data", {}).get("text/plain", "")
            printed.comparisons += read_report(text)
            for line in text.splitlines():
                printed.comparisons += read_line(line)
            rows = [re.split(r"\s{2,}", line.strip()) for line in text.splitlines()]
            if len(rows) > 1:
                printed.tables.append(rows)
    return printed


# Whether the one supports the other -------------------------------------------------------------

CLAIM = re.compile(
    r"(?:(?P<chapter>\d\d_\w+): )?(?P<table>table: )?(?P<a>\S.*?) (?P<sign>[>?=~]) (?P<b>\S.*?)"
    r"(?: by (?P<by>[\d.]+))?(?: within (?P<within>[\d.]+))?(?: \((?P<measure>.*)\))?"
)


def objection(claim: str, printed: Printed) -> str | None:
    """Return what the printed results have against a reference, or None."""
    match = CLAIM.fullmatch(claim.strip())
    if match is None:
        return f"{claim!r} is none of 'A > B by 0.1 (metric)', 'A ? B', 'A = B within 0.01'"
    if match["table"]:
        return _objection_of_table(match, printed)
    a, b, measure = match["a"], match["b"], match["measure"] or ""
    there = [
        one
        for one in printed.comparisons
        if one.measure == measure and one.names in {(a, b), (b, a)}
    ]
    if not there:
        return f"no output compares {a} and {b}, metric {measure!r}"
    found = (_objection_of_one(match, one) for one in there)
    return next((text for text in found if text), None)


def _objection_of_one(match: re.Match[str], one: ValueComparison) -> str | None:
    a, b, sign = match["a"], match["b"], match["sign"]
    low, high = sorted(end if one.names == (a, b) else -end for end in one.interval)
    if sign == ">":
        if high < 0:
            return f"{b} is above {a}"
        if low <= float(match["by"] or 0):
            return f"the interval of {a} - {b}, {low:g} to {high:g}, does not show it"
        if not one.detected:
            return f"{a} - {b}: the interval excludes 0, and the (corrected) p-value does not agree"
    if sign == "?" and (one.excludes_zero or one.p_value < 0.05):
        return f"{a} and {b} differ: {one!r}"
    if sign == "~" and (low <= 0 or one.detected):
        return f"{a} - {b} is no difference that only the correction undoes: {one!r}"
    if sign == "=" and max(abs(low), abs(high)) > float(match["within"] or 0):
        return f"{a} and {b} may differ by more than {match['within'] or 0}"
    return None


def _objection_of_table(match: re.Match[str], printed: Printed) -> str | None:
    """Return None if a printed table has the larger number at the first name."""
    wanted = match["measure"] or ""
    for rows in printed.tables:
        pair = _pair_of_table(rows, match["a"], match["b"], wanted)
        if pair is not None:
            if pair[0] - pair[1] > float(match["by"] or 0):
                return None
            return f"the table has {match['a']}: {pair[0]:g}, {match['b']}: {pair[1]:g}"
    return f"no table has {match['a']} and {match['b']}, {wanted!r}"


def _pair_of_table(
    rows: list[list[str]], a: str, b: str, wanted: str
) -> tuple[float, float] | None:
    head, *body = rows
    # The names are columns and what is measured a row, or the other way round.
    if a in head and b in head:
        for row in body:
            if row[0] == wanted and len(row) == len(head):
                return _floats(row[head.index(a)], row[head.index(b)])
    column = {row[0]: row for row in body if len(row) == len(head)}
    if wanted in head and a in column and b in column:
        return _floats(column[a][head.index(wanted)], column[b][head.index(wanted)])
    return None


def _floats(one: str, other: str) -> tuple[float, float] | None:
    first, second = (re.match(NUMBER, text.replace(",", "")) for text in (one, other))
    return (float(first[0]), float(second[0])) if first and second else None


def find_faults(
    places: Sequence[Place], printed: dict[str, Printed], chapter: str
) -> tuple[list[str], list[str]]:
    """Return what is wrong with references, and the claims that have none."""
    wrong, missing = [], []
    names = printed[chapter].names if chapter in printed else []
    for place in places:
        digests = {digest(sentence): sentence for sentence in place.sentences}
        there = {key for key, _ in place.references}
        for key, claim in place.references:
            if key not in digests:
                wrong.append(
                    f"{place.where}: claim {key} ({claim}) belongs to no sentence here; "
                    "the sentence was changed since the two were compared"
                )
            for one in claim.split("; "):
                of = CLAIM.fullmatch(one.strip())
                target = (of and of["chapter"]) or chapter
                if target not in printed:
                    wrong.append(f"{place.where}: {one!r} names no chapter that prints it")
                elif text := objection(one, printed[target]):
                    wrong.append(f"{place.where}: {digests.get(key, key)!r}: {text}")
        if place.is_real:
            missing += [
                f"{place.where}: {sentence}  [{key}]"
                for key, sentence in digests.items()
                if key not in there and is_claim(sentence, names, _nouns(place, sentence))
            ]
    return wrong, missing


def _nouns(place: Place, sentence: str) -> re.Pattern[str]:
    """Return what a sentence must name to claim something."""
    return SYSTEMS if sentence in place.about_numbers else NOUN


def main() -> None:
    """Print the faults of all chapters and exercises."""
    printed = {path.stem: read_printed(read_cells(path)) for path in CHAPTERS}
    for path in CHAPTERS:
        for found in find_faults(read_places(read_cells(path)), printed, path.stem):
            for line in found:
                print(f"{path.stem} {line}")
    for path in EXERCISES:
        for found in find_faults([read_module(path)], printed, ""):
            for line in found:
                print(line)


if __name__ == "__main__":
    main()
