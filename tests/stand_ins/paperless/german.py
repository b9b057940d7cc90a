"""A few sentences in German: the real server answers in the language it is asked in."""

from __future__ import annotations

import re

_SENTENCES = (
    (r'Invalid pk \\"(.*?)\\" - object does not exist\.', r'Ungültiger pk \\"\1\\" - Object existiert nicht.'),
    (r"This field is required\.", "Dieses Feld ist erforderlich."),
    (r"This field may not be blank\.", "Dieses Feld darf nicht leer sein."),
    (r"This field may not be null\.", "Dieses Feld darf nicht null sein."),
    (r"Not found\.", "Nicht gefunden."),
    (r"Invalid page\.", "Ungültige Seite."),
    (r"Invalid token\.", "Ungültiges Token"),
    (r"Authentication credentials were not provided\.", "Anmeldedaten fehlen."),
    (r"You do not have permission to perform this action\.", "Sie sind nicht berechtigt diese Aktion durchzuführen."),
)
_PATTERNS = [(re.compile(english), german) for english, german in _SENTENCES]


def translate(body: bytes) -> bytes:
    text = body.decode()
    for english, german in _PATTERNS:
        text = english.sub(german, text)
    return text.encode()
