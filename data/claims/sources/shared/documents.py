"""Four documents of the kinds that the readmes of orjson and ormsgpack time."""

import json
import random

WORDS = "the price of light in winter is paid by those who wait for spring and count their days".split()
CHARACTERS = "一二三四五六七八九十百千万年月日時分秒東西南北春夏秋冬山川海空花鳥風月"


def messages(draw):
    """Return search results: users and texts with many characters beyond ASCII."""

    def user():
        number = draw.getrandbits(31)
        return {
            "id": number,
            "id_text": str(number),
            "name": "".join(draw.choices(CHARACTERS, k=8)),
            "about": "".join(draw.choices(CHARACTERS, k=90)),
            "link": f"https://example.org/{number}",
            "followers": draw.randint(0, 5000),
            "verified": False,
            "colour": f"{draw.getrandbits(24):06X}",
            "location": None,
        }

    found = [
        {
            "id": draw.getrandbits(58),
            "created": "Sun Aug 31 00:29:15 +0000 2014",
            "text": "".join(draw.choices(CHARACTERS, k=110)),
            "source": f'<a href="https://example.org" rel="nofollow">{" ".join(draw.choices(WORDS, k=3))}</a>',
            "shortened": False,
            "reply_to": None,
            "user": user(),
            "repeats": {"id": draw.getrandbits(58), "text": "".join(draw.choices(CHARACTERS, k=110)), "user": user()},
            "marks": {
                "tags": [],
                "links": [],
                "people": [{"name": "".join(draw.choices(CHARACTERS, k=5)), "at": [3, 19]}],
            },
            "count": draw.randint(0, 900),
            "language": "ja",
        }
        for _ in range(100)
    ]
    return {"found": found, "search": {"seconds": 0.087, "query": "%E4%B8%80", "count": 100}}


def events(draw):
    """Return a feed of events: dictionaries of ASCII texts in a list."""
    return [
        {
            "type": draw.choice(["Push", "Watch", "Issue"]),
            "id": str(draw.getrandbits(33)),
            "public": True,
            "created": "2014-09-01T14:41:10Z",
            "actor": {
                "id": draw.getrandbits(22),
                "login": draw.choice(WORDS),
                "link": "https://api.example.org/users/x",
            },
            "place": {
                "id": draw.getrandbits(24),
                "name": "/".join(draw.choices(WORDS, k=2)),
                "link": "https://example.org",
            },
            "load": {
                "size": 2,
                "reference": "refs/heads/main",
                "head": f"{draw.getrandbits(160):040x}",
                "parts": [
                    {
                        "sha": f"{draw.getrandbits(160):040x}",
                        "message": " ".join(draw.choices(WORDS, k=12)),
                        "new": True,
                    }
                    for _ in range(2)
                ],
            },
        }
        for _ in range(60)
    ]


def concerts(draw):
    """Return a catalogue: dictionaries of numbers and short texts, and lists of whole numbers."""
    names = {str(205_000_000 + number): " ".join(draw.choices(WORDS, k=3)) for number in range(400)}
    shows = [
        {
            "id": 138_000_000 + number,
            "event": draw.randint(10**8, 10**9),
            "logo": None,
            "name": None,
            "prices": [
                {"amount": draw.randint(5, 200) * 1000, "group": 337_100_000 + one, "seats": 340_800_000 + one}
                for one in range(6)
            ],
            "seats": [
                {"category": 340_800_000 + one, "areas": [draw.randint(10**8, 10**9) for _ in range(9)]}
                for one in range(6)
            ],
            "start": 1_372_701_600_000 + number,
            "place": "HALL",
        }
        for number in range(240)
    ]
    return {
        "areas": names,
        "blocks": {},
        "shows": shows,
        "topics": {name: [draw.randint(10**8, 10**9) for _ in range(5)] for name in names},
    }


def border(draw):
    """Return the outline of a country: lists of pairs of floats."""
    rings = [[[-60 - draw.random() * 80, 42 + draw.random() * 40] for _ in range(230)] for _ in range(48)]
    return {"type": "outlines", "parts": [{"type": "part", "name": "a country", "rings": rings}]}


DOCUMENTS = {"messages": messages, "events": events, "concerts": concerts, "border": border}


def prepare(document, text=False):
    """Return a document; as text it is indented, except for the events."""
    found = DOCUMENTS[document](random.Random(3))
    if not text:
        return found
    return json.dumps(found, indent=None if document == "events" else 2, ensure_ascii=False).encode()
