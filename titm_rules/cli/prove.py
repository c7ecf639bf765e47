"""`titm prove`: what holds of editions in every position, with certificates."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from titm_rules.cli.ask import SharedOptions
from titm_rules.cli.diff import check_outputs, write_out
from titm_rules.cli.terminal import ILLEGAL, LEGAL, echo, print_json, progress, styled
from titm_rules.cli.verdict_text import print_table
from titm_rules.compare import prove as proving
from titm_rules.compare.claims import PROVED, REFUTED, ClaimResult
from titm_rules.compare.counterexamples import PairRun, read_search
from titm_rules.compare.edition_diff import compared
from titm_rules.compare.results import ALIKE, NOT_FOUND, OPEN, QuestionResult, brief, extent, situation
from titm_rules.compare.rule_pair import EQUIVALENT, ModelPair, side_by_side
from titm_rules.editions.registry import default_edition, edition_on
from titm_rules.formats.file_schemas import CertificateFile, SearchFile
from titm_rules.formats.record_schemas import validate_as
from titm_rules.formats.safe_json import bad, read_data
from titm_rules.oracle.edition import Edition

SHOWN = 6  # clauses, and values of facts that may refute a claim


def prove(
    options: SharedOptions, first: str, second: str, claims: Sequence[str], check: Path | None, search_seconds: int,
    out: Path | None,
) -> int:  # fmt: skip
    """Prove what holds of two editions, or of one with its claims, or let a second solver repeat the proofs of a file.

    What stays open is searched for so many seconds each.
    """
    check_outputs(out)
    if check is not None:
        if first or second:
            raise bad("a certificate names its editions", "--check", "leave the editions out", "bad-value")
        return _check(check, options.game, options.as_json)
    if second or options.overlays:
        editions: tuple[Edition, ...] = compared(first, second, options.overlays, options.game).editions
    else:
        date = edition_on(first or default_edition(options.game), options.game)
        editions = (Edition(date, game=options.game),)
    search, searched = read_search(editions[-1].game), dict[str, QuestionResult]()
    proofs = proving.prove_editions(editions, claims, search, search_seconds)
    if search_seconds and len(editions) > 1:
        pair = side_by_side(ModelPair(editions[0].model, editions[1].model))
        searched = _search(pair, proofs, search, search_seconds)
    if out is not None:
        write_out(out, json.dumps(proving.certificate(editions, claims, proofs), indent=1) + "\n")
    if options.as_json:
        heads = [
            {"head": one.head, "relation": one.relation, "clauses": one.clauses, "possible": one.possible}
            for one in proofs.heads
        ]
        questions = [asdict(one) for one in proofs.questions.values()]
        found = [one.record() for one in searched.values()]
        of_claims = [one.record() for one in proofs.claims]
        print_json({"of": proofs.of, "heads": heads, "questions": questions, "searched": found, "claims": of_claims})
    else:
        _show(proofs, searched)
    if any(one.verdict == REFUTED for one in proofs.claims):
        return ILLEGAL
    settled = [one.relation in (EQUIVALENT, proving.FREE) for one in proofs.heads]
    return ALIKE if all([*settled, *(one.verdict == PROVED for one in proofs.claims)]) else OPEN


def _search(pair: ModelPair, proofs: proving.Proofs, search: SearchFile, seconds: int) -> dict[str, QuestionResult]:
    with progress("searching") as tell:
        finder = PairRun(pair, search, lambda name, asked: tell(f"{name}: {asked}", None), each=True)
        names = [one.question for one in proofs.questions.values() if one.relation == proving.OPEN]
        return {name: finder.exhaust(pair.second.questions[name], seconds) for name in names}


def _show(proofs: proving.Proofs, searched: Mapping[str, QuestionResult]) -> None:
    counts = Counter(one.relation for one in proofs.heads)
    told = ", ".join(f"{number} {relation}" for relation, number in counts.most_common())
    told = told or ("no head differs" if proofs.questions else "claims")
    echo(f"{styled(' to '.join(proofs.of), bold=True)}: {told}")
    rows = (
        (one.head, one.relation, _first(one.clauses, ", "), _first(one.possible, "; "))
        for one in proofs.heads if one.relation != proving.FREE
    )  # fmt: skip
    listed = list(rows)
    if listed:
        print_table(("head", "proved", "clauses", "possible counterexample"), listed)
    same = [one.question for one in proofs.questions.values() if one.relation == EQUIVALENT]
    if same:
        echo(f"\nAnswered alike wherever neither has a gap or a conflict, proved: {', '.join(same)}.")
    others = [_row(one, searched) for one in proofs.questions.values() if one.relation != EQUIVALENT]
    if others:
        echo()
        print_table(("question", f"{proofs.of[-1]} is", "how that is known"), others)
    if proofs.claims:
        echo()
        claims = ((one.claim, one.says, one.verdict, _known(one)) for one in proofs.claims)
        print_table(("claim", "words", "verdict", "how that is known"), list(claims))


def _first(listed: Sequence[str], mark: str) -> str:
    """Join the first of a list, and say how many more there are."""
    more = [f"{len(listed) - SHOWN} more"] if len(listed) > SHOWN else []
    return mark.join([*listed[:SHOWN], *more])


def _known(claim: ClaimResult) -> str:
    """Say how a claim is known to hold or not: by a proof, a situation, or how far none was found."""
    told = [f"proved {claim.under}"] if claim.under else []
    if (found := claim.refutation) is not None:
        readings = ", ".join(f"{name}={choice}" for name, choice in found.readings.items())
        asked = f"; asked: {brief(found.inputs)}" if found.inputs else ""
        told.append(f"{f'fails under {readings}' if readings else 'fails'} in: "
                    f"{'; '.join(situation(found.data))}{asked}")  # fmt: skip
    elif not claim.under:
        listed = [one for one in claim.searches if one.size is not None]
        sizes = "; ".join(f"{'all ' if one.is_finished else ''}{one}" for one in listed)
        number = sum(one.asked for one in claim.searches)
        told.append(f"no proof, and it failed in none of {number:,} situations: {sizes}; others drawn at random"
                    if number else "no proof, and no small worlds to search")  # fmt: skip
    return "; ".join(told)


def _row(one: proving.QuestionProof, searched: Mapping[str, QuestionResult]) -> tuple[str, str, str]:
    found = searched.get(one.question)
    if found is None:
        return one.question, one.relation, str(one)
    is_finished = any(search.is_finished for search in found.searches)
    known = f"{found.relation} where searched" if is_finished or found.relation != EQUIVALENT else NOT_FOUND
    return one.question, f"open; {known}", f"searched, {extent(found)}; {one}"


def _check(path: Path, game: str, as_json: bool) -> int:
    data = read_data(path)
    if not isinstance(data, Mapping) or data.get("format") != proving.FORMAT:
        fix = "name a file that `titm prove -o FILE` wrote"
        raise bad(f"this is not a certificate of format {proving.FORMAT}", str(path), fix, "bad-value")
    kept = validate_as(CertificateFile, data, f"{path}: $")
    found = list(proving.check_certificate(kept, game))
    refused = [f"{claim}: {why}" for claim, why in found if why]
    if as_json:
        print_json({"claims": kept.count, "refused": refused})
    else:
        for one in refused:
            echo(styled(f"not confirmed: {one}", "red"))
        echo(f"{kept.count} proofs, {len(found) - len(refused)} confirmed by a second solver")
    return ILLEGAL if refused else LEGAL
