"""What the page can besides settling disputes: setting up, links and files, records, clauses, other games."""

import base64
import itertools
import json
import random
import re
import zlib

import pytest
from titm_rules.oracle.case import open_case
from titm_rules.oracle.game import POLICIES, play_game, record_game
from titm_rules.oracle.position import Position

from tests.sampling import one_in
from tests.web.browser.conftest import by_server, opened
from tests.web.browser.test_disputes import act


# ---------------------------------------------------------------------- links and files
def test_a_link_opened_elsewhere_gives_the_same_verdict(hand, browser, address):
    hand.drag("2-pz-a", "Marnach")
    hand.connection("Dasburg-Marnach")
    hand.page.locator('select[name="bridge"]').select_option("intact")
    hand.ask("supplied")
    told = (hand.verdict(), hand.strip())
    hand.press("Copy a link")
    hand.page.wait_for_selector("#link a")
    link = hand.page.locator("#link a").get_attribute("href")
    with opened(browser, link) as elsewhere:
        assert (elsewhere.verdict(), elsewhere.strip())[1] == told[1]
        assert elsewhere.verdict().splitlines()[0] == told[0].splitlines()[0]
        elsewhere.stands("2-pz-a", "Marnach")


def open_text(hand, text):
    hand.page.click("#open")
    hand.page.fill("dialog textarea", text)
    hand.page.click("dialog button.main")


def test_a_notation_goes_out_and_comes_in(hand):
    open_text(hand, "campaign,18-2,2-pz-a@Basstogne")
    hand.page.locator("dialog .error", has_text="did you mean Bastogne?").wait_for()
    hand.page.keyboard.press("Escape")
    open_text(hand, "campaign,18-2,2-pz-a@Bastogne,no 707-tnk")
    hand.stands("2-pz-a", "Bastogne")
    assert hand.page.locator('[data-piece="707-tnk"]').count() == 0
    assert hand.page.locator('#track [aria-label="day 18"]').get_attribute("aria-pressed") == "true"
    hand.press("Notation")
    written = hand.page.locator("#notation-text").inner_text()
    assert "2-pz-a@Bastogne" in written
    hand.page.goto(hand.page.locator("#link a").get_attribute("href"))
    hand.page.reload()
    hand.stands("2-pz-a", "Bastogne")


SHIPPED = {"g": "titm", "e": "1999", "s": "campaign", "t": "position"}
MALFORMED = [
    "x", "%%%", "AAAA", "?", "?position=", "?game=no&position=18-2", "?edition=no&position=campaign",
    None, 5, [], {}, {"g": 7}, {"s": 5}, {"s": None}, {"g": "titm", "s": "no", "e": "1999"},
    {"g": "titm", "p": 5, "t": "position"}, {"g": "titm", "p": {}, "t": 5}, {**SHIPPED, "e": {}, "d": {}},
    *({**SHIPPED, "d": one} for one in (5, {"units": 5}, {"units": {"rows": 5}}, {"units": {"rows": {"u": 5}}})),
    *({**SHIPPED, "d": one} for one in ({"units": {"is": 5}}, {"areas": {"is": None}}, {"day": {"rows": {}}})),
    *({**SHIPPED, "d": {}, name: value} for name in "rouwica" for value in (5, "x", [5], {"x": 5}, [None])),
    {**SHIPPED, "d": {}, "a": {"query": "no", "input": {}, "situation": "position"}},
    {**SHIPPED, "d": {}, "a": {"query": "check_path", "input": None, "situation": "position"}},
    {**SHIPPED, "d": {}, "a": {"query": "check_path", "input": {"path": 5, "units": {}}, "situation": "position"}},
]  # fmt: skip


def packed(held):
    packer = zlib.compressobj(wbits=-15)
    return base64.urlsafe_b64encode(packer.compress(json.dumps(held).encode()) + packer.flush()).decode().rstrip("=")


@pytest.mark.slow
def test_a_malformed_link_leaves_a_page_that_works(hand, address):
    """It says what is wrong, never in words of the browser, and the board is open."""
    for held in MALFORMED:
        hand.page.goto(f"{address}#{held if isinstance(held, str) else packed(held)}")
        hand.page.reload()
        hand.page.wait_for_selector("html[data-ready=yes]")
        said = hand.page.inner_text("body")
        assert not re.search(r"TypeError|SyntaxError|undefined|not iterable|\[object|is not a function", said), held
        assert hand.page.locator("#board [data-place]").count(), held
        assert hand.faults == [], held


@pytest.mark.slow
def test_a_saved_position_is_a_case_that_the_command_line_answers(hand, tmp_path):
    hand.drag("2-pz-a", "Marnach")
    hand.ask("supplied")
    hand.verdict("No")
    path = tmp_path / "position.json"
    path.write_bytes(hand.saved("Save the position"))
    case = open_case(path)
    assert case.edition.ask(case.query, case.full_input(case.query)).answer()["supplied"] is False
    hand.choose("scenarios", "-")
    hand.page.click("#open")
    hand.page.set_input_files("dialog input[type=file]", path)
    while not hand.page.input_value("dialog textarea"):
        pass
    hand.page.click("dialog button.main")
    hand.verdict("Is 2-pz-a in supply at Marnach? No")


@pytest.mark.slow
def test_a_record_stops_at_its_first_illegal_line_and_can_be_gone_through(hand):
    start = Position.from_file("two-bridges")
    *_, last = turns = list(play_game(start, POLICIES["first"], 1, limit=2))
    record = record_game("two-bridges", start, [turn.recorded for turn in turns]).write()
    open_text(hand, f"{record}{last.after.stamp} Allied muster a-foot\n")
    assert "Allied muster a-foot" in hand.verdict("No, not at line")
    slider = hand.page.locator("#timeline input")
    assert slider.get_attribute("max") == "2"
    assert "step 2 of 2" in hand.page.inner_text("#timeline")
    slider.focus()
    hand.page.keyboard.press("ArrowLeft")
    hand.page.locator("#timeline", has_text="step 1 of 2").wait_for()
    box, mouse = hand.box("#timeline input"), hand.page.mouse
    for at, part in enumerate((0.5, 0.99, 0.5, 0.01)):  # the slider goes along with the hand, step by step
        mouse.move(box["x"] + box["width"] * part, box["y"] + box["height"] / 2)
        mouse.up() if at == 3 else mouse.down() if at == 0 else None
    hand.page.locator("#timeline", has_text="step 0 of 2").wait_for()


@pytest.mark.slow
def test_a_whole_record_ends_where_the_game_ended(hand):
    start = Position.from_file("two-bridges")
    turns = list(play_game(start, POLICIES["random"], 4))
    open_text(hand, record_game("two-bridges", start, [turn.recorded for turn in turns]).write())
    hand.verdict("Yes, all")
    assert hand.page.locator("#timeline input").get_attribute("max") == str(len(turns))
    assert Position.from_dict(json.loads(hand.saved("Save the position"))["position"], start.edition) == turns[-1].after


@pytest.mark.slow
def test_pictures_are_saved(hand):
    for name, begins in (("Save SVG", b"<?xml"), ("Save PNG", b"\x89PNG")):
        assert (data := hand.saved(name)).startswith(begins)
        assert len(data) > 20_000


# ---------------------------------------------------------------------- drawing
@pytest.mark.slow
def test_only_what_changes_is_drawn_anew(hand):
    hand.piece("2-pz-a")
    hand.page.wait_for_selector("section.card[aria-label='2-pz-a']")
    hand.click("#selection summary")  # the fields that are seldom changed
    hand.page.evaluate("document.querySelector('#selection').firstChild.id = 'kept'")
    hand.place("Lutzkampen")
    hand.verdict()
    assert hand.page.locator("#kept").count() == 1
    menu = hand.page.locator("#selection select[name=place]")
    menu.focus()  # a long menu is filled by whoever turns to it
    menu.select_option("Bastogne")
    hand.stands("2-pz-a", "Bastogne")
    assert hand.page.locator("#kept").count() == 0
    assert hand.page.locator("#selection details[open]").count() == 1, "what was unfolded stays so"


BEYOND = """() => {
  const board = document.querySelector('#board'), screen = board.getBoundingClientRect();
  const across = (x) => new DOMPoint(x, 0).matrixTransform(board.getScreenCTM().inverse()).x;
  const box = board.querySelector('.places').getBBox();
  return [across(screen.left) - box.x, box.x + box.width - across(screen.right)];
}"""
OUTSIDE = """() => [...document.querySelectorAll('[data-piece] > rect')].filter((one) => {
  const box = one.getBoundingClientRect();
  const hex = one.closest('[data-place]').querySelector('.edge').getBoundingClientRect();
  return box.left < hex.left || box.right > hex.right || box.top < hex.top || box.bottom > hex.bottom;
}).length"""


@pytest.mark.slow
def test_a_board_opens_with_no_empty_ground_beside_it_and_a_counter_shows_its_id_from_near(hand):
    """Where the board is larger than the screen, what is shown lies inside it."""
    across = hand.page.evaluate(BEYOND)
    assert min(across) > -30, across
    name = hand.page.locator('[data-piece="2-pz-a"] .id')
    assert not name.is_visible()
    hand.type("2-pz-a")
    for _ in range(3):
        hand.click("#zoom-in")
    assert name.is_visible()
    assert hand.box('[data-piece="2-pz-a"] .id')["height"] > 6
    hand.choose("games", "bitterwoods")  # whose counters lie in their hexes
    assert hand.page.locator("[data-piece]").count() > 3
    assert hand.page.evaluate(OUTSIDE) == 0


# ---------------------------------------------------------------------- setting up
@pytest.mark.slow
def test_counters_come_from_the_tray_and_go_back(hand):
    hand.click("#tray > summary")
    hand.page.fill("#tray-word", "4 Arm")
    hand.page.wait_for_selector('[data-tray="4-arm-a"]')
    hand.drag_from('[data-tray="4-arm-a"]', '[data-place="Bastogne"] > .name')
    hand.stands("4-arm-a", "Bastogne")
    hand.click('[data-tray="4-arm-b"]')
    hand.place("Noville")
    hand.stands("4-arm-b", "Noville")
    hand.page.locator('[data-piece="4-arm-b"]').click(force=True)
    hand.click("#take-off")
    hand.page.wait_for_selector('[data-tray="4-arm-b"]')
    assert hand.page.locator('[data-piece="4-arm-b"]').count() == 0


@pytest.mark.slow
def test_an_empty_board_is_filled_and_asked_about(hand):
    hand.choose("scenarios", "-")
    assert hand.page.locator("[data-piece]").count() == 0
    hand.click("#tray > summary")
    hand.page.fill("#tray-word", "2-pz-a")
    hand.click('[data-tray="2-pz-a"]')
    hand.type("Dasburg")
    hand.stands("2-pz-a", "Dasburg")
    hand.type("2-pz-a", "supplied")
    hand.verdict("Yes")


@pytest.mark.slow
def test_turn_and_side_are_set_on_the_track(hand):
    hand.page.click('#track [aria-label="day 18"]')
    hand.page.click('#track [aria-label="side to move Allied"]')
    pressed = '#track [aria-label="{}"][aria-pressed="true"]'
    hand.page.wait_for_selector(pressed.format("side to move Allied"))
    assert hand.page.evaluate("document.activeElement.getAttribute('aria-label')") == "side to move Allied"
    for step, side in (("Undo", "German"), ("Redo", "Allied")):
        hand.press(step, within="header")
        for one in ("day 18", f"side to move {side}"):
            hand.page.wait_for_selector(pressed.format(one))


# ---------------------------------------------------------------------- battles, editions, clauses
@pytest.mark.slow
def test_the_strip_says_by_which_clause_a_verdict_changes(hand):
    hand.choose("scenarios", "07-combat-leaving-out-one-point")
    hand.verdict("Yes")
    hand.strip()
    assert hand.page.locator(".strip .differs b").all_inner_texts() == ["1997-08-20"]
    hand.page.locator(".strip li:has(.differs) button.clause").first.click()
    hand.page.wait_for_selector("dialog pre")


@pytest.mark.slow
def test_a_clause_opens_with_its_history_and_a_case(hand):
    hand.type("foot mode quality rank")  # no clause has it: the list is empty, and is told
    hand.page.locator("dialog h2", has_text="0 clauses").wait_for()
    hand.page.keyboard.press("Escape")
    hand.type("9.57b")
    hand.page.wait_for_selector("dialog pre")
    told = hand.page.inner_text("dialog")
    assert "through the editions" in told
    hand.page.locator("dialog button", has_text="06-combat-foot-before-armor").click()
    hand.page.wait_for_selector("section.battle .combatant")


@pytest.mark.slow
def test_a_case_opens_with_its_board_in_sight(hand):
    hand.type("8.22")
    hand.page.locator("dialog button", has_text="8.22 and must stop there").click()
    assert "8.22" in hand.verdict("No.")
    assert 0 < hand.box('#board [data-piece="m"]')["x"] < 930, "the board of the case is not in sight"


# ---------------------------------------------------------------------- everybody
NAMELESS = """() => [...document.querySelectorAll('button, select, input, textarea, a[href], summary')]
  .filter((one) => one.checkVisibility())
  .filter((one) => !(one.getAttribute('aria-label') || one.textContent.trim() || one.labels?.length || one.title))
  .map((one) => one.outerHTML.slice(0, 120))"""
LANDMARKS = """() => [...document.querySelectorAll('section, nav, aside, [role=group]')]
  .filter((one) => one.checkVisibility() && one.textContent.trim() && !one.getAttribute('aria-label'))
  .map((one) => one.outerHTML.slice(0, 120))"""
DOUBLE = "() => [...document.querySelectorAll('[id]')].map((x) => x.id).filter((x, at, all) => all.indexOf(x) < at)"
FAINT = """() => {
  const part = (one) => (one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
  const shares = [0.2126, 0.7152, 0.0722];
  const light = (colour) => shares.reduce((sum, one, at) => sum + one * part(colour.match(/[\\d.]+/g)[at] / 255), 0);
  const own = (one) => (one ? getComputedStyle(one).backgroundColor : 'rgb(255, 255, 255)');
  const ground = (one) => (own(one) === 'rgba(0, 0, 0, 0)' ? ground(one.parentElement) : own(one));
  return [...document.querySelectorAll('body *:not(svg *)')].filter((one) => one.checkVisibility() && !one.disabled)
    .filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
    .filter((one) => { const [a, b] = [light(getComputedStyle(one).color), light(ground(one))];
      return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5; })
    .map((one) => `${one.localName}.${one.className}: ${one.textContent.slice(0, 40)}`);
}"""


@pytest.mark.slow
def test_plans_have_exact_odds_and_can_be_taken_and_everything_has_a_name_and_can_be_read(hand):
    hand.drag("2-pz-a", "Marnach")
    hand.place("Marnach")
    hand.press("battle here")
    hand.page.wait_for_selector(".odds table")
    hand.click("#tray > summary")
    row = hand.page.locator('[data-plan="2-pz-a>28-inf-b"]')
    row.wait_for()
    assert "482/625" in row.inner_text()
    row.locator('button[aria-label^="take"]').click()
    hand.verdict("Yes")
    assert hand.page.locator(".shots line").count() == 1
    hand.strip()
    for what in (NAMELESS, LANDMARKS, DOUBLE, FAINT):
        assert hand.page.evaluate(what) == [], what
    hand.page.emulate_media(color_scheme="dark", reduced_motion="reduce")  # only the style sheet asks for it
    assert hand.page.evaluate(FAINT) == []
    hand.page.emulate_media(color_scheme="light", reduced_motion="no-preference")
    live = hand.page.locator("#verdict")
    assert (live.get_attribute("aria-live"), live.get_attribute("aria-busy")) == ("polite", "false")
    assert hand.page.locator("#board [data-place]:not([aria-label])").count() == 0
    assert hand.page.locator('html[lang="en"]').count() == 1


def test_on_a_phone_nothing_is_wider_than_the_screen(browser, address):
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    with opened(browser, address, **phone) as hand:
        hand.type("2-pz-a")
        hand.page.wait_for_selector('section.card[aria-label="2-pz-a"]')
        hand.page.locator('[data-place="Lutzkampen"] > .name').tap(force=True)
        hand.verdict()
        assert hand.page.evaluate("document.documentElement.scrollWidth") <= 390
        assert hand.page.locator('[data-piece="2-pz-a"]').bounding_box()["width"] > 20


# ---------------------------------------------------------------------- other games
@pytest.mark.slow
@pytest.mark.parametrize(
    ("actions", "question", "found"),
    [(["choose games bitterwoods", "choose scenarios e1-armor-in-0812"], "step_cost",
      '[data-place="0912"][aria-description="can be reached, 1/4"]'),
     (["choose games cold-ford", "piece r-first"], "supplied", ".ground path")],
)  # fmt: skip
def test_another_game_opens(hand, actions, question, found):
    for action in actions:
        act(hand, action)
    hand.page.wait_for_selector("section.card h3")
    assert hand.page.locator(f'[data-question="{question}"]').count() == 1
    hand.page.wait_for_selector(f"#board {found}", state="attached")
    grounds, places = hand.page.locator("#board .ground path"), hand.page.locator("#board [data-place]")
    assert grounds.count() == places.count()


# ---------------------------------------------------------------------- the map
STRAY = """() => [...document.querySelectorAll('#board .counters [data-piece]')].filter((piece) => {
  const place = piece.closest('[data-place]').dataset.place, card = piece.querySelector('.card').getBBox();
  const region = document.querySelector(`[data-region="${CSS.escape(place)}"]`);
  const [left, top, scale] = piece.getAttribute('transform').match(/[-\\d.]+/g).map(Number);
  const [wide, high] = [card.width * scale, card.height * scale];
  return [0, 1].flatMap((x) => [0, 1].map((y) => new DOMPoint(left + x * wide, top + y * high)))
    .some((corner) => !region.isPointInFill(corner));
}).length"""
LABELS = """() => [...document.querySelectorAll('#board .label')].filter((one) => one.checkVisibility())
  .map((one) => one.getBoundingClientRect()).map(({ left, top, width, height }) => [left, top, width, height])"""
LEGEND = "() => [...document.querySelectorAll('#legend li span')].map((one) => one.textContent)"
USED = """async () => {
  const { state } = await import('./state.js'), { game, situation, position, board } = state;
  const of = (what, role, all) => game.rows(situation, position, role).flatMap(({ record, row }) => {
    const found = game.looks(what, record, row);
    return (all ? found : found.slice(0, 1)).map((rule) => rule.label);
  });
  const towns = Object.values(board.towns).map((at) => game.style.towns[at].label);
  return [...new Set([...of('places', 'place'), ...of('pieces', 'piece'), ...of('symbols', 'piece'),
    ...of('lines', 'connection'), ...of('marks', 'connection', true), ...towns].filter(Boolean))];
}"""


@pytest.mark.parametrize("game", ["titm", "bitterwoods", "cold-ford"])
def test_counters_lie_in_their_regions_and_the_legend_names_all_that_is_drawn(hand, game):
    hand.choose("games", game)
    assert hand.page.evaluate(STRAY) == 0
    hand.click("#legend summary")
    hand.page.locator("#legend li").first.wait_for()
    assert set(hand.page.evaluate(USED)) <= set(hand.page.evaluate(LEGEND))


@pytest.mark.slow
def test_the_whole_board_can_be_read_and_a_stack_fans_out(browser, address):
    with opened(browser, address, viewport={"width": 1440, "height": 900}) as hand:
        hand.click("#zoom-fit")
        found = hand.page.evaluate(LABELS)
        assert len(found) > 160
        over = [
            (a, b) for a, b in itertools.combinations(found, 2)
            if all(a[i] < b[i] + b[i + 2] - 1 and b[i] < a[i] + a[i + 2] - 1 for i in (0, 1))
        ]  # fmt: skip
        assert over == []
        assert min(height for *_, height in found) >= 8
        assert hand.page.locator("#origin", has_text="not the printed map").is_visible()
        hand.page.locator('[data-place="Dasburg"] .stack').hover(force=True)
        hand.click('.fan [data-piece="2-pz-b"]')
        hand.page.wait_for_selector('section.card[aria-label="2-pz-b"]')
        assert hand.box('.fan [data-piece="2-pz-b"]')["width"] > 40
        hand.press("Enter the printed map …", within="#origin")
        hand.page.locator("dialog", has_text="titm map new").wait_for()


WAY = """async (green) => {
  const { state } = await import('./state.js'), { reply, board } = state;
  const far = ([left, top], x, y) => Math.hypot(left - x, top - y);
  const at = (x, y) => Object.keys(board.points).find((id) => far(board.points[id], x, y) < 1);
  const lines = [...document.querySelectorAll(`#board .routes line[stroke='${green}']`)];
  const drawn = lines.map((one) => ['x1', 'y1', 'x2', 'y2'].map((name) => Number(one.getAttribute(name))));
  return [drawn.map(([x1, y1, x2, y2]) => [at(x1, y1), at(x2, y2)]), reply.nearest?.longest_prefix ?? []];
}"""


@pytest.mark.slow
def test_no_barred_step_has_the_colour_of_an_open_one(hand):
    """Of moves to places chosen at random: what is green is the part up to the bar."""
    chance = random.Random(7)
    names = hand.page.evaluate("async () => Object.keys((await import('./state.js')).state.board.points)")
    hand.type("2-pz-a")
    refused = 0
    for place in chance.sample(sorted(name for name in names if len(name) > 3 and name != "Dasburg"), 8):
        hand.type(place)
        said = hand.verdict(f"go to {place}?")
        drawn, prefix = hand.page.evaluate(WAY, GREEN)
        if f"{place}? No." in said:
            refused += 1
            steps = [list(step) for step in itertools.pairwise(name.removeprefix("!") for name in prefix)]
            assert all(step in steps for step in drawn), (place, drawn, prefix)
    assert refused > 3


# ---------------------------------------------------------------------- clicks, colours, names, errors
STROKES = "(what) => [...document.querySelectorAll(`#board .routes line[stroke='${what}']`)].length"
GREEN, RED = "#009e73", "#d55e00"


@pytest.mark.parametrize(
    ("actions", "green", "red"),
    [(["piece 2-pz-a", "place Prum"], 4, 0), (["piece 2-pz-a", "place Bastogne"], 1, 5),
     (["drag 2-pz-a Marnach", "ask supplied"], 0, 6),
     (["choose games cold-ford", "piece r-second", "piece b-ford"], 2, 1)],
)  # fmt: skip
def test_what_is_barred_is_drawn_red_from_its_bar_on(hand, actions, green, red):
    for action in actions:
        act(hand, action)
    hand.verdict()
    assert (hand.page.evaluate(STROKES, GREEN), hand.page.evaluate(STROKES, RED)) == (green, red)


@by_server
@pytest.mark.slow
def test_a_late_answer_does_not_overwrite_a_newer_one(hand):
    hand.piece("2-pz-a")
    hand.page.wait_for_selector('#board[aria-busy="false"]')  # from now on the position is sent by its digest
    with hand.unanswered('to":"Lutzkampen'):
        hand.place("Lutzkampen")
        hand.place("Prum")
        hand.verdict("go to Prum? Yes")
        hand.strip()
    hand.page.wait_for_load_state("networkidle")
    assert "go to Prum? Yes" in hand.verdict()


def test_keys_remove_a_counter_and_are_listed(hand):
    hand.piece("2-pz-a")
    hand.page.keyboard.press("Delete")
    hand.page.wait_for_selector('[data-piece="2-pz-a"]', state="detached")
    hand.page.keyboard.press("Control+z")
    hand.page.wait_for_selector('[data-piece="2-pz-a"]')
    hand.page.keyboard.press("?")
    hand.page.locator("dialog", has_text="Take the chosen counters off the board").wait_for()


def test_a_battle_without_a_board_stands_alone_and_another_board_fits_its_frame(hand):
    hand.choose("scenarios", "07-combat-leaving-out-one-point")
    hand.verdict("legal for the defender? Yes.")
    assert not hand.page.locator("#board").is_visible()
    assert hand.page.locator(".shots line").count() == 2, "what was asked is drawn"
    assert hand.page.locator("#mode-play").is_disabled()
    hand.choose("games", "cold-ford")
    seen = hand.box("#board .places")
    assert (seen["x"] > 0, seen["width"] > 500) == (True, True)


@pytest.mark.parametrize(
    ("game", "kinds"),
    [("titm", {"unit", "place", "clause", "question", "scenario"}), ("bitterwoods", {"unit", "place", "clause"})],
)
def test_names_are_found_though_they_are_mistyped(hand, game, kinds):
    """One or two typing errors in each of 100 names: what was meant is among the first three in 95 of 100."""
    chance = random.Random(23)
    hand.choose("games", game)
    hand.page.keyboard.press("/")
    while not hand.page.evaluate(CLAUSES):
        pass
    names = hand.page.evaluate(LISTED)
    wanted = chance.sample([name for name, kind in names if len(name) > 3], 100)
    assert kinds <= {kind for _, kind in names}
    found = hand.page.evaluate(FOUND, [mistyped(name, chance) for name in wanted])
    missed = [name for name, three in zip(wanted, found, strict=True) if name not in three]
    assert len(missed) <= 5, missed


CLAUSES = "async () => (await import('./main.js')).things().some(({ kind }) => kind === 'clause')"
LISTED = "async () => (await import('./main.js')).things().map(({ names, kind }) => [names[0], kind])"
FOUND = """async (typed) => {
  const { rank } = await import('./finder.js'), things = (await import('./main.js')).things();
  return typed.map((one) => rank(one, things).slice(0, 3).map(({ thing }) => thing.names[0]));
}"""


def mistyped(name, chance):
    """Swap, leave out, double or change a letter; of a long name maybe two."""
    for _ in range(chance.choice((1, 2)) if len(name) > 7 else 1):
        at, letter = chance.randrange(len(name) - 1), chance.choice("etaoinshrdlu")
        one, two = name[at], name[at + 1]
        name = name[:at] + chance.choice((two + one, two, one + one + two, letter + two)) + name[at + 2 :]
    return name


@pytest.mark.slow
def test_names_are_listed_while_one_types_and_what_was_typed_stays(hand):
    hand.page.keyboard.press("/")
    hand.page.keyboard.type("2nd panzer")
    hand.page.locator("#found li", has_text="2 Pz-b").wait_for()
    hand.page.keyboard.press("ArrowDown")
    hand.page.keyboard.press("ArrowDown")
    hand.page.keyboard.press("Enter")
    hand.page.wait_for_selector('section.card[aria-label="2-pz-b"]')
    assert hand.page.input_value("#find") == "2 Pz-b"
    hand.type("quux-7@zzz")
    hand.page.locator("#verdict .error", has_text="quux").wait_for()
    assert hand.page.input_value("#find") == "quux-7@zzz"


@pytest.mark.parametrize(
    ("fragment", "told"),
    one_in(2, [
        ("#pVLLbsMgEPwVi3OV", "cut off or damaged"), ("#%%%", "cut off or damaged"),
        ("#?game=nonesuch&position=campaign", "nonesuch"),
        ("#?game=titm&position=campaign,2-pz-a@Nowhere", "Nowhere"),
    ]),
)  # fmt: skip
def test_a_link_that_cannot_be_opened_says_so_and_the_board_is_open(browser, address, fragment, told):
    with opened(browser, f"{address}{fragment}") as hand:
        hand.page.locator("#verdict .error", has_text=told).wait_for()
        assert "$" not in hand.page.inner_text("#verdict")
        hand.press("Back to the board")
        hand.piece("2-pz-a")
        hand.place("Prum")
        hand.verdict("Yes")


@by_server
@pytest.mark.slow
def test_a_server_that_is_gone_and_an_input_that_is_missing_are_told_in_words(hand):
    hand.type("reinforcement options")
    hand.press("Ask")
    told = hand.page.locator("#asking .error", has_text="Not said yet: entry").inner_text()
    assert not {"$", "field is missing"} & set(told.split())
    hand.page.route("**/api/ask", lambda route: route.abort())
    hand.page.keyboard.press("Escape")
    hand.piece("2-pz-a")
    hand.place("Prum")
    hand.page.locator("#verdict .error", has_text="The server does not answer").wait_for()
    hand.page.unroute("**/api/ask")
    hand.press("Try again")
    hand.verdict("go to Prum? Yes")
