"""Check the models of modes against every published vector that the package cryptography-vectors has for them.

    python benchmarks/mode_vectors.py [MODE ...]

A line a file: how many vectors agreed, how many were passed over, and why. The tests take some of each. Wycheproof's
are checked too where AESMITH_WYCHEPROOF names the folder of its files.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from aesmith.assurance.streams.responses import part
from aesmith.assurance.streams.vectors import FILES, published
from aesmith.assurance.streams.wycheproof import FILES as FILES_OF_WYCHEPROOF
from aesmith.assurance.streams.wycheproof import wycheproof_cases, wycheproof_folder
from aesmith.modes.chained import CMAC
from aesmith.modes.counting import CCM
from aesmith.modes.message import Cipher, Message, ModeOfOperation
from aesmith.modes.offset import OCB3, XTS


def agrees(mode: ModeOfOperation, found: dict[str, str]) -> bool | None:
    """Whether a model makes of a record what it says; None for one that no model takes (parts of bytes)."""
    if mode is XTS and int(found["dataunitlen"]) % 8:
        return None
    cipher = Cipher(part(found, "key"))
    if mode is CCM:
        return _ccm_agrees(cipher, found)
    if mode is CMAC:
        text, tag = part(found, "message"), part(found, "output")
        return CMAC.encrypt(cipher, Message(text=text, tag=bytes(16))).tag == tag
    tag = part(found, "tag") if "tag" in found else bytes(16 if mode is OCB3 else 0)
    iv = part(found, "iv", "nonce", "i")
    plain, other = part(found, "pt", "plaintext"), part(found, "ct", "ciphertext")
    if mode is OCB3:
        other, tag = other[:-16], other[-16:]
    header = part(found, "aad")
    back = mode.decrypt(cipher, Message(iv, header, other, tag))
    if "fail" in found:
        return back.authentic is False and not back.text
    made = mode.encrypt(cipher, Message(iv, header, plain, tag))
    return back.text == plain and back.authentic is not False and made.text == other and made.tag == tag


def _ccm_agrees(cipher: Cipher, found: dict[str, str]) -> bool:
    """CCM's records have the tag behind the text, and a zero byte where there is nothing."""
    header, text = (int(found[name]) for name in ("alen", "plen"))
    sealed = part(found, "ct")
    sent = Message(part(found, "nonce"), part(found, "adata", size=header), sealed[:text], sealed[text:])
    back = CCM.decrypt(cipher, sent)
    if not found.get("result", "Pass").startswith("Pass"):
        return back.authentic is False and not back.text
    plain = part(found, "payload", size=text)
    made = CCM.encrypt(cipher, Message(sent.iv, sent.header, plain, sent.tag))
    return back.authentic is True and back.text == plain and (made.text, made.tag) == (sent.text, sent.tag)


def main(names: list[str], say: Callable[[str], None] = print) -> bool:
    """Check these modes, or all; whether everything agreed."""
    right = True
    for name in names or FILES:
        mode, files = FILES[name]
        for file in files:
            verdicts = [agrees(mode, found) for found in published(file)]
            good, bad, passed = (verdicts.count(verdict) for verdict in (True, False, None))
            right &= bad == 0 and good > 0
            say(f"{name}: {file}: {good} agree, {bad} do not, {passed} with parts of bytes passed over")
    folder = wycheproof_folder()
    for file, mode in FILES_OF_WYCHEPROOF.items() if folder is not None else ():
        if folder is not None and (not names or mode.name in names):
            verdicts = [case.agrees() for case in wycheproof_cases(folder, file)]
            right &= all(verdicts) and bool(verdicts)
            say(f"{mode.name}: {file}: {verdicts.count(True)} agree, {verdicts.count(False)} do not")
    return right


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
